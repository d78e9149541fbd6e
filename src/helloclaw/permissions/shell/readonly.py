"""The proof that one command only reads: what it would read, or why that is not known. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.awk import awk_reads
from helloclaw.permissions.shell.expressions import find_reads, sed_reads, test_reads
from helloclaw.permissions.shell.git import git_reads
from helloclaw.permissions.shell.jq import jq_reads
from helloclaw.permissions.shell.listings import (
    getconf_reads,
    printenv_reads,
    ps_reads,
    sleep_reads,
    tar_reads,
    unzip_reads,
    xxd_reads,
)
from helloclaw.permissions.shell.options import Given, Unknown, options, read_options
from helloclaw.permissions.shell.programs import PROGRAMS, VERSION_FLAGS, VERSIONED, Program
from helloclaw.permissions.shell.reads import NOTHING, File, Reads, Tree

# Wrappers around wrappers that are looked through. Nobody has to write more than one or two.
MAX_WRAPPERS = 16

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_SEQ = options("f:s:w", "format= separator= equal-width version")
_VERSION_SUFFIX = re.compile(r"-?\d+(\.\d+)*$")
_PROGRAM_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_DURATION = re.compile(r"\d+(\.\d+)?[smhd]?")


def what_it_reads(words: Sequence[str]) -> Reads | Why:
    """What the command reads, if it is certain to do nothing else. `words` are as the program will get them."""
    for _ in range(MAX_WRAPPERS):
        if (reads := _known_reads(words)) is not None:
            return reads
        inner = peel(words)
        if not inner:
            return _version_reads(words[0], words[1:])
        if inner[0] in _SHELL_ONLY:
            return Why("unknown_program", words[0])
        words = inner
    return Why("unknown_program", words[0])


def _known_reads(words: Sequence[str]) -> Reads | Why | None:
    """What a command of the tables reads; None if it is in none of them, as wrappers are not."""
    name, *arguments = words
    if program := PROGRAMS.get(name):
        return _program_reads(name, program, arguments)
    if arguments != ["--version"] and (language := _LANGUAGES.get(name)):
        return language(arguments)
    return _builtin_reads(name, arguments)


def is_reader(name: str) -> bool:
    """Whether the program is one whose reads are known, so that a rule for it does not open the rest of the disk."""
    return name in PROGRAMS or name in ("find", "sed", "jq")


def _builtin_reads(name: str, arguments: Sequence[str]) -> Reads | Why | None:
    """The shell's own commands; None if it is none of them, or not in a form that is known."""
    match name:
        case "true" | "false" | ":" | "echo":
            return NOTHING
        case "pwd" if all(each in ("-L", "-P") for each in arguments):
            return NOTHING
        case "printf" if arguments and (not arguments[0].startswith("-") or arguments[0] == "--"):
            return NOTHING  # not `-v`, whose name may be an array's, with a command for an index
        case "[" | "[[" if arguments and arguments[-1] == ("]" if name == "[" else "]]"):
            return test_reads(arguments[:-1])
        case "command" | "type":
            return _lookup(name, arguments)
        case _:
            return None


# Builtins that do something else, or nothing, behind a program such as `timeout`.
_SHELL_ONLY = frozenset({"cd", "[[", "command", "type", ":", "time"})


def peeled(words: Sequence[str]) -> Iterator[list[str]]:
    """The command within the wrapper, that within the next, and so on; of very many wrappers, not the last."""
    for _ in range(MAX_WRAPPERS):
        inner = peel(words)
        if not inner:
            return
        yield inner
        words = inner


def peel(words: Sequence[str]) -> list[str] | None:
    """The command within a wrapper that only limits or measures it; None if it is not one of those."""
    rest = list(words[1:])
    match words[0]:
        case "timeout":
            rest = _after(rest, ("-k", "--kill-after", "-s", "--signal"), ("--foreground", "--preserve-status", "-v"))
            rest = rest[1:] if rest and _DURATION.fullmatch(rest[0]) else []
        case "nice":
            rest = _after(rest, ("-n", "--adjustment"), ())
        case "time":
            rest = rest[1:] if rest[:1] == ["-p"] else rest
        case "command" | "builtin":
            pass
        case "stdbuf":
            rest = _after(rest, ("-i", "-o", "-e", "--input", "--output", "--error"), ())
        case _:
            return None
    return rest if (rest and _PROGRAM_NAME.fullmatch(rest[0])) or rest[:1] in (["["], [":"]) else None


def _after(rest: list[str], valued: Sequence[str], flags: Sequence[str]) -> list[str]:
    """What is left after the options; nothing if one of them is not known."""
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        name, has_value, _ = option.partition("=")
        if option in flags or (has_value and name.startswith("--") and name in valued):
            continue
        if option in valued and rest:
            del rest[0]
        elif not any(len(each) == 2 and option.startswith(each) for each in valued):
            return []
    return rest


def _cd_reads(arguments: Sequence[str]) -> Reads | Why:
    rest = [each for each in arguments if each not in ("-L", "-P", "--")]
    if len(rest) != 1 or rest[0].startswith("-") or not rest[0]:
        return Why("unknown_option", "cd " + " ".join(arguments))
    return Reads(files=(File(rest[0], content=False),), moves_to=rest[0])


def _seq_reads(arguments: Sequence[str]) -> Reads | Why:
    numbers = [each for each in arguments if _NUMBER.fullmatch(each)]
    others = [each for each in arguments if not _NUMBER.fullmatch(each)]
    given = read_options(others, _SEQ)
    if isinstance(given, Unknown) or given.operands or len(numbers) > 3:
        return Why("unknown_option", "seq")
    return NOTHING


def _lookup(name: str, arguments: Sequence[str]) -> Reads | None:
    """`command -v X` and `type X` say what would run, and run nothing."""
    if name == "command" and arguments[:1] not in (["-v"], ["-V"]):
        return None
    rest = (
        arguments[1:]
        if name == "command"
        else [each for each in arguments if each not in ("-a", "-t", "-P", "-p", "-f")]
    )
    return NOTHING if rest and not any(each.startswith("-") for each in rest) else None


def _version_reads(name: str, arguments: Sequence[str]) -> Reads | Why:
    bare = name if name in VERSIONED else _VERSION_SUFFIX.sub("", name)
    if bare not in VERSIONED or len(arguments) != 1:
        return Why("unknown_program", name)
    if arguments[0] != "--version" and arguments[0] not in VERSION_FLAGS.get(bare, ()):
        return Why("unknown_program", f"{name} {arguments[0]}")
    return NOTHING


def _program_reads(name: str, program: Program, arguments: Sequence[str]) -> Reads | Why:
    given = read_options(arguments, program.options)
    if isinstance(given, Unknown):
        return Why("unknown_option", f"{name} {given.text}")
    operands = list(given.operands)
    if name == "date" and not all(each.startswith("+") for each in operands):
        return Why("unknown_option", f"date {operands[0]}")
    if name == "tac" and (not operands or "-" in operands):
        return Why("unknown_option", "tac -")  # What it can't read backwards, such as a pipe, goes to a file in /tmp.
    if program.skip and not given.has(*program.without):
        if not operands:
            return NOTHING if given.has("version", "type-list") else Why("unknown_option", name)
        del operands[: program.skip]
    if program.most is not None and len(operands) > program.most:
        return Why("unknown_option", f"{name} {operands[-1]}")
    return _gather(program, given, operands)


def _gather(program: Program, given: Given, operands: list[str]) -> Reads:
    recursive = "always" in program.recursive or given.has(*program.recursive)
    content = program.operands == "content" and not given.has(*program.names_only)
    if not operands and (program.here or recursive):
        operands = ["."]
    files = [File(path) for name, path in given.options if name in program.options.paths and path is not None]
    trees: list[Tree] = []
    if program.operands != "text":
        files += [File(path, content=content) for path in operands if path != "-"]
    if recursive and content:
        hidden = "always" in program.hidden or given.has(*program.hidden)
        follows = given.has(*program.follows) and not given.has(*program.unless)
        trees = [Tree(path, hidden=hidden, follows=follows) for path in operands if path != "-"]
    return Reads(files=tuple(files), trees=tuple(trees))


_LANGUAGES: MappingProxyType[str, Callable[[Sequence[str]], Reads | Why]] = MappingProxyType(
    {
        "cd": _cd_reads,
        "test": test_reads,
        "find": lambda arguments: find_reads(arguments, what_it_reads),
        "sed": sed_reads,
        "git": git_reads,
        "jq": jq_reads,
        "seq": _seq_reads,
        **dict.fromkeys(("awk", "gawk", "mawk"), awk_reads),
        "ps": ps_reads,
        "tar": tar_reads,
        "unzip": unzip_reads,
        "xxd": xxd_reads,
        "sleep": sleep_reads,
        "getconf": getconf_reads,
        "printenv": printenv_reads,
    }
)
