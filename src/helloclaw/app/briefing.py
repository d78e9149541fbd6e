"""What a session's model is told before the conversation: who it is, who the person is, rules, skills, memory.

Every part is made of files that may be edited at any time; each turn is told what they say now. Only the long-term
memory is frozen, since it grows in every conversation: what joins it is told after the cached prompt, and becomes part
of it at the next compaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from helloclaw.agent.prompt import PromptPart, core_part
from helloclaw.app.options import SessionOptions
from helloclaw.i18n import Lang, Phrase, SpokenError
from helloclaw.i18n.system import reason_of
from helloclaw.memory.notebook import Notebook
from helloclaw.settings.trust import is_trusted
from helloclaw.settings.values import Settings
from helloclaw.skills.index import TITLES, hint, skills_index, triggered
from helloclaw.skills.shelf import SkillShelf
from helloclaw.skills.skill import Skill
from helloclaw.storage.paths import HomeUnknown, person_home
from helloclaw.workspace.files import Workspace
from helloclaw.workspace.instructions import InstructionFiles
from helloclaw.workspace.making import is_template
from helloclaw.workspace.names import Name
from helloclaw.workspace.parts import Part, prompt_parts

_FILLED_IN: tuple[Name, ...] = ("IDENTITY.md", "USER.md")
_LEAN_KEYS = ("identity", "user", "instructions", "memory")
_LEAN_CHARS = 1_500
"""What a small model is told of each file: it has little room, and reading takes it long."""


class Brief(NamedTuple):
    """The prompt's parts, and what a person has to know of the files they are made of."""

    parts: tuple[PromptPart, ...]
    notices: tuple[Phrase, ...]


class Briefing:
    """One per session. Methods read files: call them off the event loop where that matters. They raise nothing."""

    def __init__(
        self, options: SessionOptions, settings: Settings, shelf: SkillShelf, notebook: Notebook, workdir: Path
    ) -> None:
        self._options = options
        self._language: Lang = options.language if settings.agent.language == "auto" else settings.agent.language
        self._workspace = Workspace(notebook.workspace, language=self._language)
        self._shelf = shelf
        self._notebook = notebook
        self._instructions = InstructionFiles(
            person_home=_person_home(options),
            workdir=workdir,
            trusted=lambda directory: is_trusted(options.home, directory),
            workspace=notebook.workspace,
        )
        self._frozen: str | None = None
        self._skills: tuple[Skill, ...] = ()

    def look(self, cwd: Path, *, lean: bool) -> Brief:
        """What the model is told now, with `cwd` as the current directory."""
        current = self._workspace.look()
        instructions = self._instructions.look(cwd)
        skills = self._shelf.look()
        self._skills = skills.skills
        notices = [*current.notices, *self._instructions.news(instructions), *self._shelf.news(skills)]
        texts = dict(current.texts)
        if not self._options.introduces:
            texts.pop("BOOTSTRAP.md", None)
        for name in () if "BOOTSTRAP.md" in texts else _FILLED_IN:
            if is_template(name, texts.get(name, "")):
                texts.pop(name, None)
        texts["MEMORY.md"] = self._longterm(notices)
        found = prompt_parts(
            texts, language=self._language, root=str(self._notebook.workspace), instructions=instructions.files
        )
        core = core_part(lean=lean, appended=self._options.system_append)
        if lean:
            return Brief((core, *_leaned(found)), tuple(notices))
        index = PromptPart(key="skills", title=TITLES[self._language], text=skills_index(skills.skills))
        return Brief((core, *_with_skills(found, index)), tuple(notices))

    def hint(self, message: str) -> str:
        """What to tell the model along with a message that calls for a skill; empty for nothing."""
        return hint(triggered(self._skills, message))

    def thaw(self) -> None:
        """Let what joined the long-term memory become part of the prompt at the next look."""
        self._frozen = None

    def settle(self) -> None:
        """A turn is over: the introduction ends if the agent has a name by now."""
        self._workspace.settle()

    def notes_to_tell(self) -> tuple[str, ...]:
        """What joined the long-term memory since the prompt was made, today's and yesterday's notes: a line each."""
        try:
            frozen = frozenset((self._frozen or "").splitlines())
            joined = [line for line in self._notebook.memory.longterm().splitlines() if line.strip()]
            fresh = [line for line in joined if line not in frozen and not line.startswith("#")]
            return (*fresh, *self._notebook.memory.recent())
        except (SpokenError, OSError):
            return ()

    def _longterm(self, notices: list[Phrase]) -> str:
        if self._frozen is None:
            self._frozen = ""
            try:
                self._frozen = self._notebook.memory.longterm()
            except SpokenError as error:
                notices.append(error.phrase)
            except OSError as error:
                path = str(self._notebook.workspace / "MEMORY.md")
                notices.append(Phrase("workspace.unreadable", path=path, why=reason_of(error)))
        return self._frozen if _says_anything(self._frozen) else ""


def _with_skills(parts: tuple[Part, ...], index: PromptPart) -> Iterator[PromptPart]:
    """The list of skills, if there is one, stands before the memory."""
    for part in parts:
        if part.key == "memory" and index.text:
            yield index
        yield _prompt_part(part)
    if index.text and not any(part.key == "memory" for part in parts):
        yield index


def _says_anything(memory: str) -> bool:
    """Whether there is more than headings."""
    return any(line.strip() and not line.startswith("#") for line in memory.splitlines())


def _leaned(parts: tuple[Part, ...]) -> Iterator[PromptPart]:
    """What a small model needs most, the beginning of each."""
    for part in parts:
        if part.key in _LEAN_KEYS:
            yield _prompt_part(structs.replace(part, text=part.text[:_LEAN_CHARS]))


def _prompt_part(part: Part) -> PromptPart:
    return PromptPart(key=part.key, title=part.title, text=part.rendered, cut=part.cut)


def _person_home(options: SessionOptions) -> Path:
    try:
        return person_home(options.source.environ)
    except HomeUnknown:
        return options.home.root
