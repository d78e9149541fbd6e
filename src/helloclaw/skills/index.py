"""What a model is told of the skills there are, within a budget, and which of them a message calls for. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from helloclaw.i18n import Lang
from helloclaw.skills.plain import one_line
from helloclaw.skills.skill import Skill

BUDGET_CHARS = 4_000
TITLES: dict[Lang, str] = {"en": "Skills", "zh": "技能"}
_INTRODUCTION = """\
## Skills

Folders with instructions for one kind of work each. When a task is of that kind, call load_skill with the name before
you begin, and follow what it says; do not load what the task does not need."""
# How much of each description is shown: as much as there is room for.
_SHOWN_CHARS = (1024, 400, 250, 160, 100, 60)
_MOST_HINTS = 3
_HEARD_CHARS = 8_000


def skills_index(skills: Sequence[Skill], budget: int = BUDGET_CHARS) -> str:
    """A section of the system prompt: each skill's name and description, in the order given; "" without skills.

    Where the whole takes more than `budget` characters, descriptions are shortened; then the last skills are left out
    and a line says how many, and how to find them.
    """
    if not skills:
        return ""
    text = ""
    for shown in _SHOWN_CHARS:
        rows = [f"- {skill.name}: {one_line(skill.description, shown)}" for skill in skills]
        text = "\n".join((_INTRODUCTION, "", *rows))
        if len(text) <= budget:
            return text
    kept = text.splitlines()[: -len(skills)]
    room = budget - sum(len(line) + 1 for line in kept) - len(_more(len(skills)))
    for row in text.splitlines()[-len(skills) :]:
        room -= len(row) + 1
        if room < 0:
            break
        kept.append(row)
    left = len(skills) - (len(kept) - len(_INTRODUCTION.splitlines()) - 1)
    return "\n".join((*kept, _more(left)))


def _more(count: int) -> str:
    return f"({count} more are not listed: load_skill with a word instead of a name says which names come near it)"


def triggered(skills: Sequence[Skill], text: str) -> tuple[str, ...]:
    """The names of the skills whose trigger words stand in a person's message, at most three, in the order given.

    Case and width make no difference. A word in a script with spaces has to stand alone (`pdf` is in "a PDF" and
    "这个pdf", not in "pdfium"), one in Chinese or Japanese anywhere. Only the first 8,000 characters are looked at.
    """
    heard = _folded(text[:_HEARD_CHARS])
    names = (skill.name for skill in skills if any(_stands_in(heard, _folded(word)) for word in skill.triggers))
    return tuple(names)[:_MOST_HINTS]


def hint(names: Sequence[str]) -> str:
    """What to add to a message that calls for skills: one line in the tags of a reminder; "" for none."""
    if not names:
        return ""
    which = " or ".join(names)
    return f"<system-reminder>The skill {which} may fit this message: load_skill shows it.</system-reminder>"


def near(word: str, skills: Sequence[Skill]) -> tuple[str, ...]:
    """Up to five names that `word` may have meant: like it, holding it, or described with it."""
    from difflib import get_close_matches

    wanted = _folded(word.strip())[:200]
    alike = get_close_matches(wanted.replace("_", "-").replace(" ", "-"), [skill.name for skill in skills], n=3)
    if not wanted:
        return ()
    holding = [skill.name for skill in skills if wanted in skill.name]
    described = [skill.name for skill in skills if wanted in _folded(skill.description)]
    return tuple(dict.fromkeys((*alike, *holding, *described)))[:5]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _stands_in(heard: str, word: str) -> bool:
    at = heard.find(word) if word else -1
    while at >= 0:
        end = at + len(word)
        if not (_joined(heard[at - 1 : at], word[0]) or _joined(word[-1], heard[end : end + 1])):
            return True
        at = heard.find(word, at + 1)
    return False


def _joined(left: str, right: str) -> bool:
    """Whether two characters are parts of one word, as far as that can be seen."""
    return left.isalnum() and right.isalnum() and not (_without_spaces(left) or _without_spaces(right))


def _without_spaces(char: str) -> bool:
    """From the CJK radicals up: scripts that put nothing between words, or endings right behind them."""
    return char >= "\u2e80"
