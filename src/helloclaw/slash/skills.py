"""`/skills`: what skills there are, where each comes from, and what was skipped; and a skill called by its name."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from helloclaw.settings.problems import nearest
from helloclaw.skills.loading import Body, SkillGone, body_of, files_of, loaded
from helloclaw.skills.shelf import Found
from helloclaw.skills.skill import Skill
from helloclaw.slash.base import Host, Reply, Run, SendText, SlashCommand
from helloclaw.slash.own import with_arguments
from helloclaw.wording.markdown import code, literal
from helloclaw.wording.plain import one_line

_ABOUT_CHARS = 80
_LISTED_CHARS = 160


async def _skills(argument: str, host: Host) -> Reply:
    found = await asyncio.to_thread(host.session.skills.look)
    if not argument:
        return Reply(markdown="\n\n".join(_listed(found, host)))
    name = argument.removeprefix("/")
    skill = next((each for each in found.skills if each.name == name), None)
    if skill is not None:
        return Reply(markdown="\n".join(_described(skill, host)))
    near = nearest(name.lower(), [each.name for each in found.skills])
    said = host.say("slash.skills.unknown", name=code(name, 64))
    return Reply(markdown=f"{said} {host.say('slash.skills.near', near=near)}" if near else said, level="error")


def _listed(found: Found, host: Host) -> Iterator[str]:
    say = host.say
    if found.skills:
        head = f"| {say('slash.skills.skill')} | {say('slash.skills.from')} | {say('slash.help.about')} |"
        rows = (
            f"| `{each.name}` | {say(f'slash.skills.from.{each.where}')} | {literal(each.description, _LISTED_CHARS)} |"
            for each in found.skills
        )
        yield "\n".join((head, "| --- | --- | --- |", *rows))
    else:
        yield say("slash.skills.none")
    if skipped := (*found.problems, *found.hidden):
        yield f"**{say('slash.skills.skipped')}**"
        yield "\n".join(f"* {literal(say.say(each))}" for each in skipped)
    if found.waiting:
        yield say("slash.skills.waiting", folders=", ".join(code(str(each), 200) for each in found.waiting))
    yield say("slash.skills.more")


def _described(skill: Skill, host: Host) -> Iterator[str]:
    say = host.say
    yield f"**{skill.name}** ({say(f'slash.skills.from.{skill.where}')})\n"
    yield f"{literal(skill.description)}\n"
    rows = (
        ("file", str(skill.file)),
        ("license", skill.license),
        ("compatibility", skill.compatibility),
        ("triggers", " · ".join(skill.triggers)),
        ("tools", " ".join(skill.allowed_tools)),
        ("metadata", " · ".join(f"{key}: {value}" for key, value in skill.metadata)),
    )
    for key, value in rows:
        if value:
            yield f"* {say(f'slash.skills.row.{key}')}: {literal(value, 500)}"


def skill_commands(host: Host) -> Iterator[SlashCommand]:
    """Each skill as a command: its instructions, with what stands after its name."""
    for skill in host.session.skills.look().skills:
        about = one_line(skill.description, _ABOUT_CHARS)
        yield SlashCommand(name=skill.name, run=_calling(skill), about=about)


def _calling(skill: Skill) -> Run:
    async def run(argument: str, host: Host) -> Reply:
        try:
            body = await asyncio.to_thread(body_of, skill)
            files = await asyncio.to_thread(files_of, skill)
        except SkillGone as error:
            return Reply(markdown=literal(host.say.say(error.phrase)), level="error")
        host.session.skills.take(skill)
        said = Body(with_arguments(body.text, argument), body.first_line)
        return Reply(effect=SendText(loaded(skill, said, files)))

    return run


def _names(host: Host) -> list[str]:
    return [each.name for each in host.session.skills.look().skills]


COMMANDS = (SlashCommand(name="skills", run=_skills, usage="[NAME]", choices=_names),)
