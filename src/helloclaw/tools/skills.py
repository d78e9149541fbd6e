"""`load_skill`: a skill's instructions, its folder and its files, by name. It reads, and changes nothing."""

from __future__ import annotations

import asyncio

from msgspec import Struct

from helloclaw.skills.index import near
from helloclaw.skills.loading import SkillGone, body_of, files_of, loaded
from helloclaw.skills.plain import one_line
from helloclaw.tools.base import Tool, ToolError, ToolOutput
from helloclaw.tools.context import ToolContext


class LoadSkill(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str


async def run(call: LoadSkill, context: ToolContext) -> ToolOutput:
    return ToolOutput(text=await asyncio.to_thread(_load, call.name, context))


def _load(name: str, context: ToolContext) -> str:
    shelf = context.skills
    skills = shelf.look().skills
    skill = next((each for each in skills if each.name == name.strip().removeprefix("/")), None)
    if skill is None:
        raise ToolError(_unknown(name, near(name, skills), bool(skills)))
    try:
        body = body_of(skill)
    except SkillGone as error:
        raise ToolError(str(error)) from error
    text = loaded(skill, body, files_of(skill))
    shelf.take(skill)
    return text


def _unknown(name: str, names: tuple[str, ...], any_at_all: bool) -> str:
    said = f"There is no skill {one_line(name, 64)!r}"
    if names:
        return f"{said}; near it: {', '.join(names)}"
    return f"{said}; the list of skills is in your instructions" if any_at_all else f"{said}; there are no skills here"


load_skill = Tool("load_skill", LoadSkill, run, read_only=True, parallel_safe=True)
