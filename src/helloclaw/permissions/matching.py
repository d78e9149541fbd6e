"""What a rule applies to: `allows_…` reads a rule narrowly, `binds_…` (deny, ask) widely. Pure but for `Files`."""

from __future__ import annotations

import os.path
from collections.abc import Sequence
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from helloclaw.permissions.rule_syntax import PATTERN_FIELDS, Rule
from helloclaw.permissions.verdict import Call

# Shell


def allows_text(rule: Rule, text: str) -> bool:
    """Whether the rule is exactly this whole command line, which a person has seen, or lets every one pass.

    Plain `Bash` is never offered; who writes it means it, and denials still come before it.
    """
    if rule.family != "Bash":
        return False
    return rule.form == "all" or (rule.form == "exact" and rule.pattern == text.strip())


def allows_words(rule: Rule, words: Sequence[str | None]) -> bool:
    """Whether the rule covers one plain command. What it names has to be there; None is a word that nobody knows."""
    if rule.family != "Bash" or not words:
        return False
    match rule.form:
        case "all":
            return True
        case "exact":
            return bool(rule.words) and tuple(words) == rule.words
        case "prefix":
            return tuple(words[: len(rule.words)]) == rule.words
        case "glob":
            known = [each for each in words if each is not None]
            return len(known) == len(words) and _words_match(rule.words, known)


def binds_words(rule: Rule, words: Sequence[str]) -> bool:
    """Whether a rule that forbids binds the command, however the program is called and whichever options come first."""
    if rule.family != "Bash" or not words:
        return False
    if rule.form == "all":
        return True
    if not rule.words:
        return False
    named = [_called(words[0], rule.words[0]), *words[1:]]
    if allows_words(rule, named):
        return True
    return len(rule.words) > 1 and allows_words(rule, _without_leading_options(named))


def _called(word: str, wanted: str) -> str:
    """The program's name as the rule has it: `/usr/bin/curl` and `CURL` are `curl`."""
    name = os.path.basename(word) if "/" not in wanted else word
    return wanted if name.casefold() == wanted.casefold() else name


_OPTIONS_WITH_VALUES = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--prefix", "--context", "-n", "--cwd"}
)


def _without_leading_options(words: Sequence[str]) -> list[str]:
    """The command without the options between program and subcommand: `git -C x push` is `git push`."""
    rest = list(words[1:])
    while rest and rest[0].startswith("-") and rest[0] != "--":
        option = rest.pop(0)
        if option in _OPTIONS_WITH_VALUES and rest:
            del rest[0]
    return [words[0], *rest]


def _words_match(patterns: Sequence[str], words: Sequence[str]) -> bool:
    """Word by word; a `*` of its own is any number of words."""
    reached = {0}
    for pattern in patterns:
        if pattern == "*":
            reached = set(range(min(reached), len(words) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(words) and fnmatchcase(words[at], pattern)}
    return len(words) in reached


# Addresses and tools


def host_of(url: str) -> str | None:
    """The host that a URL is about; None where two readers of it could disagree."""
    if any(each in url for each in "\\@ \t\r\n") or not url.isprintable():
        return None
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    return host.rstrip(".").casefold() if host and parts.scheme in ("http", "https") else None


def allows_url(rule: Rule, url: str) -> bool:
    host = host_of(url)
    if host is None:
        return False
    if rule.pattern is None:
        return True
    if rule.pattern.startswith("*."):
        return host.endswith(rule.pattern[1:])
    return host == rule.pattern


def binds_url(rule: Rule, url: str) -> bool:
    if rule.pattern is None:
        return True
    host = host_of(url)
    wanted = rule.pattern.removeprefix("*.")
    return host is None or host == wanted or host.endswith(f".{wanted}")


def names_tool(rule: Rule, call: Call) -> bool:
    """Whether the rule is about the tool by its name, whatever the family."""
    if call.tool in rule.tools:
        if rule.family == "tool" and rule.pattern is not None:
            return call.input.get(PATTERN_FIELDS.get(call.tool, "")) == rule.pattern
        return True
    # The tools of the other families are written out.
    return rule.family == "tool" and any(_covers_name(each, call.tool) for each in rule.tools)


def _covers_name(named: str, tool: str) -> bool:
    """`mcp__server` and `mcp__server__*` are all tools of that server."""
    if named.endswith("*"):
        return named != "*" and tool.startswith(named[:-1])
    return named.startswith("mcp__") and named.count("__") == 1 and tool.startswith(f"{named}__")
