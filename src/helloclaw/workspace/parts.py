"""The parts of the prompt that come from files, in order, under headings in the person's language. Pure.

What the program adds itself, such as its core instructions and the list of skills, the agent puts between them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct, structs

from helloclaw.i18n import Lang
from helloclaw.workspace.instructions import Instruction
from helloclaw.workspace.names import Name

FILE_CHARS = 20_000
TOGETHER_CHARS = 60_000

PartKey = Literal["agents", "bootstrap", "identity", "user", "soul", "instructions", "memory"]

_FILES: tuple[tuple[PartKey, Name], ...] = (
    ("agents", "AGENTS.md"),
    ("bootstrap", "BOOTSTRAP.md"),
    ("identity", "IDENTITY.md"),
    ("user", "USER.md"),
    ("soul", "SOUL.md"),
    ("memory", "MEMORY.md"),
)
_TITLES: dict[Lang, dict[PartKey, str]] = {
    "en": {
        "agents": "Your workspace",
        "bootstrap": "Getting started",
        "identity": "Your identity",
        "user": "The person you work for",
        "soul": "Your character",
        "instructions": "Instructions",
        "memory": "Long-term memory",
    },
    "zh": {
        "agents": "你的工作空间",
        "bootstrap": "初始化引导",
        "identity": "你的身份信息",
        "user": "用户信息",
        "soul": "人格模板",
        "instructions": "指令文件",
        "memory": "长期记忆",
    },
}
_PLACE: dict[Lang, str] = {"en": "These files are in {root}", "zh": "这些文件在 {root}"}
_CUT = "[cut: {count:,} more characters; read_file {path} has them]"
# A fenced block to be left as it is, or a comment to be left out.
_COMMENT = re.compile(
    r"^(?P<fence>[ \t]*(?P<mark>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*(?P=mark)[`~]*[ \t]*$|\Z))|[ \t]*<!--.*?(?:-->|\Z)",
    re.DOTALL | re.MULTILINE,
)


class Part(Struct, frozen=True, kw_only=True):
    """`title` is its heading, `path` where it comes from, `cut` how many characters of the file were left out.

    Where something was cut, `text` ends with a marker that says so and counts as part of it.
    """

    key: PartKey
    title: str
    text: str
    path: str
    cut: int = 0

    @property
    def rendered(self) -> str:
        return f"## {self.title}\n\n{self.text}"


def prompt_parts(
    files: Mapping[Name, str], *, language: Lang, root: str, instructions: Sequence[Instruction] = ()
) -> tuple[Part, ...]:
    """What of the workspace's `files` and of the instruction files stands in the prompt, each file a part.

    The order is agents, bootstrap, identity, user, soul, instructions, memory; files that say nothing are left out, and
    so are comments. 20,000 characters a part and 60,000 in all; if they are more, the longest are cut first. `root` is
    the workspace's directory.
    """
    parts = [
        Part(key=key, title=_TITLES[language][key], text=text, path=f"{root}/{name}")
        for key, name in _FILES
        if (text := without_comments(files.get(name, "")))
    ]
    if parts and parts[0].key == "agents":
        place = _PLACE[language].format(root=root)
        parts[0] = structs.replace(parts[0], text=f"{place}\n\n{parts[0].text}")
    title = _TITLES[language]["instructions"]
    told = [
        Part(key="instructions", title=f"{title}: {each.shown}", text=text, path=each.shown)
        for each in instructions
        if (text := without_comments(each.text))
    ]
    at = next((index for index, part in enumerate(parts) if part.key == "memory"), len(parts))
    return bounded((*parts[:at], *told, *parts[at:]))


def bounded(parts: Sequence[Part], *, each: int = FILE_CHARS, together: int = TOGETHER_CHARS) -> tuple[Part, ...]:
    """The parts cut to `each` characters and to `together` in all, the longest first."""
    limit = _fair_limit([len(part.text) for part in parts], each, together)
    return tuple(_cut(part, limit) for part in parts)


def without_comments(text: str) -> str:
    """`text` without HTML comments, which are for people, except in code; nor blank lines around it."""
    plain = _COMMENT.sub(lambda found: found["fence"] or "", text)
    return re.sub(r"\n{3,}", "\n\n", plain).strip()


def _fair_limit(sizes: Sequence[int], each: int, together: int) -> int:
    """The largest limit not above `each` with which all sizes cut to it add up to no more than `together`."""
    left = together
    for index, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - index)
        if size > share:
            return min(each, share)
        left -= size
    return each


def _cut(part: Part, limit: int) -> Part:
    if len(part.text) <= limit:
        return part
    # The marker with the largest count it can have: the text that is kept must not depend on its own length.
    room = max(0, limit - len(_CUT.format(count=len(part.text) + part.cut, path=part.path)) - 2)
    kept = part.text[:room]
    line = kept.rfind("\n")
    kept = kept[:line] if line > room * 0.9 else kept
    kept = kept.rstrip()
    cut = part.cut + len(part.text) - len(kept)
    text = f"{kept}\n\n{_CUT.format(count=cut, path=part.path)}"
    return structs.replace(part, text=text, cut=cut)
