"""Programs whose options are no `getopt` ones, or whose operands need a look: `ps`, `tar -t`, `unzip -l`, `xxd`. Pure.

What was left out: `ps e` shows what is in other programs' environments; `tar` asks another computer for an archive with
a colon in its name; `xxd` writes its second operand; `getconf -v` runs a program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.inert import OPEN_VARIABLES
from helloclaw.permissions.shell.reads import NOTHING, File, Reads
from helloclaw.permissions.tables import names

_PS_BSD = re.compile(r"[auxwfrlvT]+")
_PS_ALL = frozenset({"-e", "-A", "-w", "-ww", "--no-headers", "--forest"})
# One only: procps reads all anew, in the other way, where two contradict each other, and `-e` is `e` then.
_PS_FORMAT = frozenset({"-f", "-F", "-ef", "-eF", "-Af", "-AF"})
_PS_COLUMN_NAMES = names(
    "pid ppid pgid sid user uid group gid args cmd comm command %cpu %mem pcpu pmem rss vsz stat state etime etimes "
    "time cputime start lstart tty tt nice ni pri nlwp wchan"
)
_PS_VALUE = re.compile(r"[\w.,-]+")
_TAR_LISTS = re.compile(r"-?(?=[^t]*t[^t]*$)[tvzjJ]+f")
_UNZIP_LISTS = frozenset({"-l", "-v", "-lv", "-lq", "-Z1", "-Z", "-p", "-t", "-tq"})
_XXD_FLAGS = frozenset({"-a", "-b", "-d", "-e", "-E", "-i", "-p", "-ps", "-u"})
_XXD_VALUED = re.compile(r"-[cglso]\d*")
_SLEEP = re.compile(r"\d{1,6}(?:\.\d+)?[smhd]?|\.\d+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def ps_reads(arguments: Sequence[str]) -> Reads | Why:
    """One word of BSD's letters without `e`; or POSIX options with at most one format."""
    rest = [each for each in arguments if not _is_sorting(each)]
    if not rest or (len(rest) == 1 and _PS_BSD.fullmatch(rest[0])) or rest == ["-aux"]:
        return NOTHING
    formats = 0
    words = iter(rest)
    for word in words:
        if word in _PS_ALL:
            continue
        if word in _PS_FORMAT:
            formats += 1
        elif word in ("-o", "-eo", "-Ao", "-p", "-C", "-u", "--ppid", "--pid"):
            value = next(words, "")
            if word.endswith("o"):
                formats += 1
            known = _are_columns(value) if word.endswith("o") else _PS_VALUE.fullmatch(value)
            if not known or value.startswith("-"):
                return Why("unknown_option", f"ps {word} {value}")
        else:
            return Why("unknown_option", f"ps {word}")
    return NOTHING if formats <= 1 else Why("unknown_option", "ps")


def _is_sorting(word: str) -> bool:
    return word.startswith("--sort=") and _are_columns(word[7:].replace("-", "").replace("+", ""))


def _are_columns(value: str) -> bool:
    return all(each in _PS_COLUMN_NAMES for each in value.removesuffix("=").split(","))


def tar_reads(arguments: Sequence[str]) -> Reads | Why:
    """`tar -tzf FILE [MEMBER…]`, the options in one word that ends with `f`."""
    match arguments:
        case [flags, archive, *members] if _TAR_LISTS.fullmatch(flags) and not _is_odd(archive, members, ":"):
            return Reads(files=(File(archive),))
        case _:
            return Why("unknown_program", f"tar {arguments[0]}" if arguments else "tar")


def unzip_reads(arguments: Sequence[str]) -> Reads | Why:
    """`unzip -l FILE [MEMBER…]` and other options that print. A name with a pattern stands for several archives."""
    match arguments:
        case [flags, archive, *members] if flags in _UNZIP_LISTS and not _is_odd(archive, members, "*?["):
            return Reads(files=(File(archive), *(File(f"{archive}{each}") for each in (".zip", ".ZIP"))))
        case _:
            return Why("unknown_program", f"unzip {arguments[0]}" if arguments else "unzip")


def _is_odd(archive: str, members: Sequence[str], signs: str) -> bool:
    """`signs` mean something else in the name of an archive."""
    return any(sign in archive for sign in signs) or any(each.startswith("-") for each in (archive, *members))


def xxd_reads(arguments: Sequence[str]) -> Reads | Why:
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option = rest.pop(0)
        if option in _XXD_FLAGS:
            continue
        if not _XXD_VALUED.fullmatch(option):
            return Why("unknown_option", f"xxd {option}")
        if len(option) == 2 and not (rest and rest.pop(0).isdecimal()):
            return Why("unknown_option", f"xxd {option}")
    if len(rest) > 1:
        return Why("unknown_option", f"xxd {rest[1]}")
    return Reads(files=tuple(File(path) for path in rest if path != "-"))


def sleep_reads(arguments: Sequence[str]) -> Reads | Why:
    if arguments and all(_SLEEP.fullmatch(each) for each in arguments):
        return NOTHING
    return Why("unknown_option", "sleep")


def getconf_reads(arguments: Sequence[str]) -> Reads | Why:
    if list(arguments) == ["-a"] or (len(arguments) == 1 and _WORD.fullmatch(arguments[0])):
        return NOTHING
    return Why("unknown_option", "getconf")


def printenv_reads(arguments: Sequence[str]) -> Reads | Why:
    """Variables that hold nothing worth hiding, each by its name."""
    if arguments and all(each in OPEN_VARIABLES for each in arguments):
        return NOTHING
    return Why("unknown_option", " ".join(("printenv", *arguments[:1])))
