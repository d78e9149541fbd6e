"""Names that one program lists and `xargs` hands to the next: `find … | xargs wc -l`, `rg -l x | xargs cat`. Pure.

What is handed on is any name below the places that were listed. So all that is there has to be free to read, and no
name may be split into others or be taken for an option; `Tree.named` says so to who looks at the files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct, structs

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.expressions import reads_with_found
from helloclaw.permissions.shell.options import Given, Unknown, options, read_options
from helloclaw.permissions.shell.reads import Reads, Tree

# Missing: `-a` (reads names elsewhere), `-E -d -s`, `-o` (opens a terminal), `-p -t`.
_XARGS = options("0rn:P:L:I:", "null no-run-if-empty max-args= max-procs= max-lines=")
# They pass lines on whole, or leave some out.
_ENDS = options("n:", "lines=", digits=True)
_SORT = options("ru", "reverse unique")
# With these, only names are printed.
_RG_LISTS = options("lg:t:T:iFwS.u", "files files-with-matches glob= type= type-not= ignore-case hidden fixed-strings")
_GREP_LISTS = options(
    "rliEFwnsIP", "recursive files-with-matches ignore-case include= exclude= exclude-dir= no-messages"
)
_ODD = re.compile(r"^-|[\s'\"\\]")


class Listed(Struct, frozen=True):
    """Names of what is at or below `starts`. `zero`: each ends with a NUL, and may hold anything else."""

    starts: tuple[str, ...]
    zero: bool = False


def names_listed(words: Sequence[str], fed: Listed | None) -> Listed | None:
    """What a command that only reads prints, if that is nothing but names; `fed` is what it gets from the pipe."""
    match words:
        case ["find", *rest] if not any(each in ("-printf", "-ls", "-exec") for each in rest):
            return Listed(_find_starts(rest) or (".",))
        case ["git", "ls-files", "-z"]:  # otherwise a name that is only in the index may be split in two
            return Listed((".",), zero=True)
        case ["grep", "-v" | "-E" | "-i" | "-vE" | "-F", pattern] if fed and not pattern.startswith("-"):
            return fed
        case ["grep", pattern] if fed and not pattern.startswith("-"):
            return fed
        case ["rg", *rest]:
            return _files_found(read_options(rest, _RG_LISTS))
        case ["grep", *rest]:
            return _files_found(read_options(rest, _GREP_LISTS))
        case ["sort", *rest]:
            return _passed_on(read_options(rest, _SORT), fed)
        case ["head" | "tail", *rest]:
            return _passed_on(read_options(rest, _ENDS), fed)
        case _:
            return None


def _passed_on(given: Given | Unknown, fed: Listed | None) -> Listed | None:
    return None if isinstance(given, Unknown) or given.operands else fed


def _files_found(given: Given | Unknown) -> Listed | None:
    """`rg -l` and `grep -rl`: the names of files in which something was found; `rg --files`."""
    if isinstance(given, Unknown):
        return None
    if given.has("files"):
        return Listed(given.operands or (".",))
    return Listed(given.operands[1:] or (".",)) if given.has("l", "files-with-matches") else None


def _find_starts(arguments: Sequence[str]) -> tuple[str, ...]:
    starts: list[str] = []
    for each in arguments:
        if each.startswith("-") or each in ("(", ")", "!", ","):
            break
        starts.append(each)
    return tuple(starts)


def xargs_reads(arguments: Sequence[str], fed: Listed, reads_of: Callable[[Sequence[str]], Reads | Why]) -> Reads | Why:
    """What the command behind `xargs` reads with any of the names, and with none."""
    at = _command_at(arguments)
    given = read_options(arguments[:at], _XARGS)
    words = list(arguments[at:])
    if isinstance(given, Unknown) or given.operands or not words or any(map(_ODD.search, fed.starts)):
        return Why("unknown_program", "xargs")
    places = given.values("I")
    if fed.zero and not given.has("0", "null"):
        return Why("unknown_program", "xargs")
    if any(each != "{}" for each in places) or any("{}" in word and word != "{}" for word in words):
        return Why("unknown_program", "xargs")
    with_names = reads_with_found(words if places else [*words, "{}"], fed.starts, reads_of)
    without = reads_of([word for word in words if word != "{}"])
    if isinstance(with_names, Why):
        return with_names
    if isinstance(without, Why):
        return without
    trees = (*with_names.trees, *without.trees, *(Tree(path, follows=True, named=True) for path in fed.starts))
    return structs.replace(with_names, files=(*with_names.files, *without.files), trees=trees)


def _command_at(arguments: Sequence[str]) -> int:
    """Where the options of `xargs` end; a value may be the next word."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in ("-n", "-P", "-L", "-I") else 1
    return at
