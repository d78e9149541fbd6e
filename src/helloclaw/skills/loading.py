"""What a model gets when it loads a skill: where the skill is, which files it has, and its instructions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from helloclaw.i18n import SpokenError
from helloclaw.skills.folder import text_of
from helloclaw.skills.frontmatter import split
from helloclaw.skills.plain import one_line
from helloclaw.skills.skill import FILE, LIMIT_BYTES, Skill

BODY_CHARS = 40_000
"""Below the 50,000 characters at which a tool's output goes to a file instead of the model."""
MOST_FILES = 60
_MOST_LOOKED_AT = 2_000
_PATH_CHARS = 160


class SkillGone(SpokenError):
    """The file can't be read any more."""

    blame = "world"


class Body(NamedTuple):
    """A skill's instructions, which begin in line `first_line` of its file."""

    text: str
    first_line: int


def body_of(skill: Skill) -> Body:
    """The instructions as they are now. Raises `SkillGone`."""
    try:
        text = None if skill.file.is_symlink() and not _is_own(skill) else text_of(str(skill.file), LIMIT_BYTES)
    except OSError:
        text = None
    if text is None:
        raise SkillGone("skills.gone", name=skill.name, path=one_line(str(skill.file), 200))
    body = split(text).body
    before = text[: len(text) - len(body.lstrip())]
    return Body(body.strip(), before.count("\n") + 1)


def _is_own(skill: Skill) -> bool:
    return os.path.realpath(skill.file).startswith(f"{skill.folder}{os.sep}")


def files_of(skill: Skill) -> tuple[str, ...]:
    """Regular files in the skill's folder besides its SKILL.md, as paths from there, sorted, and at most 61 of them.

    No link is followed, and what begins with a dot is left out.
    """
    found: list[str] = []
    looked_at = 0
    for at, directories, names in os.walk(skill.folder):
        directories[:] = sorted(each for each in directories if not each.startswith("."))
        for name in sorted(names):
            looked_at += 1
            path = os.path.join(at, name)
            if not name.startswith(".") and not os.path.islink(path) and os.path.isfile(path):
                found.append(os.path.relpath(path, skill.folder))
        if len(found) > MOST_FILES or looked_at > _MOST_LOOKED_AT:
            break
    return tuple(sorted(each for each in found if each != FILE)[: MOST_FILES + 1])


def loaded(skill: Skill, body: Body, files: Sequence[str]) -> str:
    """The text for the model. Pure."""
    head = [f"# Skill {skill.name}", f"Folder: {one_line(str(skill.folder))} (paths below are relative to it)"]
    if skill.compatibility:
        head.append(f"Needs: {skill.compatibility}")
    if skill.allowed_tools:
        tools = one_line(" ".join(skill.allowed_tools), 300)
        head.append(f"It is written for these tools: {tools}. That permits nothing; calls are decided about as always.")
    if files:
        head.append("Files, to be read with read_file when they are needed:")
        head += [f"- {one_line(each, _PATH_CHARS)}" for each in files[:MOST_FILES]]
        head += ["- and more: list the folder"] if len(files) > MOST_FILES else []
    return "\n".join((*head, "", _bounded(skill, body)))


def _bounded(skill: Skill, body: Body) -> str:
    if len(body.text) <= BODY_CHARS:
        return body.text
    cut = body.text[:BODY_CHARS].rpartition("\n")[0] or body.text[:BODY_CHARS]
    line = body.first_line + cut.count("\n") + 1
    return f"{cut}\n\n[cut here; read on with read_file {one_line(str(skill.file))} offset={line}]"
