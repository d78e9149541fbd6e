"""Rules in Claude Code's syntax: `Tool`, `Tool(pattern)`. What they apply to is `matching`'s business. Pure.

A rule that can't be read is an error that names it: a guard with a hole is no guard.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec import Struct

from helloclaw.i18n import Phrase, SpokenError
from helloclaw.permissions.shell.second_reading import read_runs
from helloclaw.permissions.shell.words import read_word

Source = Literal["builtin", "user", "project", "session", "flag"]
Family = Literal["Bash", "Read", "Edit", "WebFetch", "tool"]

FAMILIES: MappingProxyType[Family, frozenset[str]] = MappingProxyType(
    {
        "Bash": frozenset({"bash", "background_run"}),
        "Read": frozenset({"read_file", "search_content"}),
        "Edit": frozenset({"edit_file", "write_file"}),
        "WebFetch": frozenset({"web_fetch"}),
    }
)
# Names that lists written for Claude Code use, and what they are here.
_ALIASES: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "Write": ("edit_file", "write_file"),
        "MultiEdit": ("edit_file", "write_file"),
        "NotebookEdit": ("edit_file", "write_file"),
        "Grep": ("search_content",),
        "Glob": ("search_content",),
        "LS": ("search_content",),
        "WebSearch": ("web_search",),
        "Task": ("run_subagent",),
        "Agent": ("run_subagent",),
        "Skill": ("load_skill",),
        "BashOutput": ("check_background",),
    }
)
# What a pattern is compared with, for the other tools that may have one.
PATTERN_FIELDS = MappingProxyType({"run_subagent": "agent_type", "load_skill": "name", "task": "agent_type"})

_RULE = re.compile(r"(?P<tool>[^\W\d][\w.-]*(?:__\*|\*)?)(?:\((?P<pattern>.*)\))?", re.DOTALL)
_DOMAIN = re.compile(r"(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?", re.IGNORECASE)
_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class BadRule(SpokenError):
    """A rule that can't be read. `text` is the rule, `why` says what is wrong; `place` is the file it is in."""

    def __init__(self, text: str, why: Phrase, place: str = "") -> None:
        if place:
            super().__init__("rule.bad_at", place=place, rule=repr(text), why=why)
        else:
            super().__init__("rule.bad", rule=repr(text), why=why)
        self.text = text
        self.why = why
        self.place = place


class Rule(Struct, frozen=True, kw_only=True):
    """One rule. `tools` are the names it is about. `words` are the pattern's, for shell rules that name a program.

    `form`: `all` of the family, the `exact` command, every command that begins with `words` (`prefix`), or one whose
    words match those patterns (`glob`). For the other families `pattern` is a path, a domain or a field's value.
    """

    text: str
    source: Source
    family: Family
    tools: frozenset[str]
    pattern: str | None = None
    form: Literal["all", "exact", "prefix", "glob"] = "all"
    words: tuple[str, ...] = ()


class RuleSet(Struct, frozen=True, kw_only=True):
    """Rules by what they do. In doubt the stricter list wins, whatever the order within."""

    allow: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()

    def with_rules(self, other: RuleSet) -> RuleSet:
        return RuleSet(allow=self.allow + other.allow, deny=self.deny + other.deny, ask=self.ask + other.ask)

    def tightening(self) -> RuleSet:
        """Without what would let more pass: all that may count from a directory nobody has trusted."""
        return RuleSet(deny=self.deny, ask=self.ask)


def parse_rule(text: str, *, source: Source) -> Rule:
    """Raises `BadRule`."""
    match = _RULE.fullmatch(text.strip())
    if match is None:
        raise BadRule(text, Phrase("rule.form"))
    if hidden := _INVISIBLE.search(text):
        raise BadRule(text, Phrase("rule.invisible", code=f"U+{ord(hidden.group()):04X}"))
    name, pattern = match["tool"], match["pattern"]
    family, tools = _tools_named(name)
    base = Rule(text=text.strip(), source=source, family=family, tools=tools)
    if pattern is None:
        return base
    if not pattern.strip():
        raise BadRule(text, Phrase("rule.empty", name=name))
    match family:
        case "Bash":
            return _shell_rule(base, pattern)
        case "Read" | "Edit":
            return _path_rule(base, pattern)
        case "WebFetch":
            return _fetch_rule(base, pattern)
        case "tool":
            if not any(tool in PATTERN_FIELDS for tool in tools):
                raise BadRule(text, Phrase("rule.no_pattern", name=name))
            return msgspec.structs.replace(base, pattern=pattern.strip())


_WILD = re.compile(r"(?<!\\)\*")


def literal(text: str) -> str:
    """Shell text as a pattern for exactly itself: a star that is no wildcard is written `\\*`."""
    return text.replace("*", "\\*")


def _unescaped(pattern: str) -> str:
    return pattern.replace("\\*", "*")


def _tools_named(name: str) -> tuple[Family, frozenset[str]]:
    for family, tools in FAMILIES.items():
        if name == family:
            return family, tools
        if name in tools:
            return family, frozenset({name})
    named = frozenset(_ALIASES.get(name, (name,)))
    for family, tools in FAMILIES.items():
        if named <= tools:
            return family, named
    return "tool", named


def _shell_rule(base: Rule, pattern: str) -> Rule:
    stripped = pattern.strip()
    if stripped == "*":
        return base
    if stripped.endswith((":*", " *")):
        return _with_words(base, stripped, stripped[:-2])
    words = _plain_words(stripped)
    if words is not None and _WILD.search(stripped):
        if ":*" in stripped:
            raise BadRule(base.text, Phrase("rule.prefix_end"))
        return msgspec.structs.replace(base, pattern=stripped, form="glob", words=words)
    exact = _unescaped(stripped)
    if exact != stripped:
        words = _plain_words(exact)
    return msgspec.structs.replace(base, pattern=exact, form="exact", words=words or ())


def _with_words(base: Rule, pattern: str, beginning: str) -> Rule:
    words = _plain_words(beginning)
    if not words:
        raise BadRule(base.text, Phrase("rule.prefix_words"))
    if _WILD.search(beginning):
        return msgspec.structs.replace(base, pattern=pattern, form="glob", words=(*words, "*"))
    return msgspec.structs.replace(base, pattern=pattern, form="prefix", words=words)


def _plain_words(text: str) -> tuple[str, ...] | None:
    """The words of one simple command without expansions; None if it is anything else. `*` stands for itself."""
    runs = read_runs(text.encode("utf-8", "replace"))
    if not runs or len(runs) != 1 or runs[0].targets:
        return None
    source = text.encode("utf-8", "replace")
    words = [read_word(source[start:end].decode("utf-8", "replace"), "~") for start, end in runs[0].words]
    if any(word.value is None for word in words):
        return None
    return tuple(word.value or "" for word in words)


def _path_rule(base: Rule, pattern: str) -> Rule:
    stripped = pattern.strip().removeprefix("./")
    if stripped.startswith("~") and not (stripped == "~" or stripped.startswith("~/")):
        raise BadRule(base.text, Phrase("rule.home"))
    if stripped.startswith("!"):
        raise BadRule(base.text, Phrase("rule.negated"))
    if ".." in stripped.split("/"):
        raise BadRule(base.text, Phrase("rule.climbs"))
    return msgspec.structs.replace(base, pattern=stripped)


def _fetch_rule(base: Rule, pattern: str) -> Rule:
    kind, colon, domain = pattern.strip().partition(":")
    if pattern.strip() == "*":
        return base
    if kind != "domain" or not colon or not _DOMAIN.fullmatch(domain):
        raise BadRule(base.text, Phrase("rule.domain"))
    return msgspec.structs.replace(base, pattern=domain.lower())
