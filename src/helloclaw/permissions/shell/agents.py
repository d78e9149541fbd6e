"""Starting another agent, or this one, in a way that asks nobody: the one wrapper around everything else. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.tables import names

_AGENTS = names(
    "claude claude-code codex gemini gemini-cli qwen qwen-code aider cursor-agent opencode amp goose crush droid "
    "copilot cline kimi kimi-cli iflow auggie kiro-cli q plandex openhands gptme mini-agent mini-swe-agent mini "
    "sweagent openclaw trae-cli codebuff cn vibe grok"
)
_OWN_NAMES = frozenset({"helloclaw", "agents"})
_ALL_AGENTS = _AGENTS | _OWN_NAMES
# Flags, and values of flags, by which agents are told to ask nobody.
_LOOSE = re.compile(
    r"yolo|dangerous|bypass|unsafe|unrestricted|full[-_]?(?:auto|access)|dont[-_]?ask|always|(?<!un)trust"
    r"|auto[-_]?(?:approv|accept|run|exec|edit|confirm)|accept[-_]?(?:edits|all)|no[-_]?(?:confirm|ask|approv)"
    r"|(?<!dis)allow(?:ed)?[-_]?(?:all|tools?)|skip[-_]?(?:all[-_]?)?(?:perm|approv|confirm)",
    re.IGNORECASE,
)
_LOOSE_ALONE = names("auto --auto never --yes --force -y -f")
_OWN_LOOSE_FLAGS = ("--allow", "--trust", "--mode=auto")
# Programs that run packages: these do nothing else, those behind one of the words.
_RUNNERS = names("npx bunx pnpx uvx")
_MANAGERS = names("npm pnpm yarn bun deno uv pipx pip")
_RUN_WORDS = frozenset({"run", "exec", "x", "dlx", "tool"})
_PACKAGE = re.compile(r"(?:@[\w.-]+/)?([\w.-]+?)(?:@[\w.-]+)?")


def loosens_agent(name: str, arguments: Sequence[str]) -> Why | None:
    """Why the command would start an agent without its guard; None if it doesn't, or starts none."""
    while name.startswith(("python", "pypy")) and "-m" in arguments:
        index = arguments.index("-m")
        module = arguments[index + 1 : index + 2]
        if not module:
            return None
        name, arguments = module[0].partition(".")[0], arguments[index + 2 :]
    if name in _RUNNERS or (name in _MANAGERS and not _RUN_WORDS.isdisjoint(arguments)):
        for index, argument in enumerate(arguments):
            package = _PACKAGE.fullmatch(argument)
            if package and package[1].casefold() in _ALL_AGENTS:
                return loosens_agent(package[1].casefold(), arguments[index + 1 :])
        return None
    if name in _OWN_NAMES:
        return Why("loosens_agent", name) if _loosens_us(arguments) else None
    if name not in _AGENTS:
        return None
    return Why("loosens_agent", name) if any(map(_is_loose, _flags_and_values(arguments))) else None


def _flags_and_values(arguments: Sequence[str]) -> list[str]:
    """Flags with what follows them, if that is one word: a prompt that speaks of `auto` is none."""
    found: list[str] = []
    for index, argument in enumerate(arguments):
        follows_flag = (
            index > 0 and arguments[index - 1].startswith("-") and arguments[index - 1] not in ("-p", "--print")
        )
        if argument.startswith("-") or (follows_flag and " " not in argument):
            found.append(argument)
    return found


def _is_loose(word: str) -> bool:
    flag, _, value = word.casefold().partition("=")
    return flag in _LOOSE_ALONE or value in _LOOSE_ALONE or bool(_LOOSE.search(word))


def _loosens_us(arguments: Sequence[str]) -> bool:
    """Our own commands that widen what may run: a looser mode, a rule, trust, settings."""
    words = [each for each in arguments if not each.startswith("-")]
    if any(each.startswith(_OWN_LOOSE_FLAGS) for each in arguments):
        return True
    if any(flag == "--mode" and value == "auto" for flag, value in pairwise(arguments)):
        return True
    match words:
        case ["trust", *_]:
            return True
        case ["config", "set" | "edit", *_] | ["permissions", "rm", *_]:
            return True
        case _:
            return False
