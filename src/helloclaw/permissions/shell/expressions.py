"""Programs with a little language of their own: `find`, `sed`, `test`. Only what is known to read is taken. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from helloclaw.permissions.paths import CODE_SUFFIXES
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.options import Unknown, options, read_options
from helloclaw.permissions.shell.reads import NOTHING, File, Reads, Tree
from helloclaw.permissions.tables import names

# POSIX find and GNU findutils. Missing: `-execdir -ok -okdir -delete -fls -fprint -fprint0 -fprintf`, which run
# or write, `-files0-from`, and `-follow`, after which nobody knows where it goes.
_FIND_ALONE = names(
    "-a -and -o -or ! -not ( ) , -print -print0 -ls -prune -quit -empty -nouser -nogroup -depth -mount -xdev "
    "-true -false -executable -readable -writable -daystart -noleaf -warn -nowarn -ignore_readdir_race "
    "-noignore_readdir_race"
)
_FIND_VALUED = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -atime -ctime "
    "-mmin -amin -cmin -maxdepth -mindepth -printf -perm -user -group -uid -gid -regextype -links -inum -fstype "
    "-used -lname -ilname -context"
)
_FIND_RUNS = frozenset({"-exec"})
_FIND_FILE = re.compile(r"-(?:anewer|cnewer|newer|samefile|newer[aBcm][aBcmt])")
_FIND_LEADING = re.compile(r"-P|-O[0-3]")

_SED_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])+/I?)"
# What is replaced is taken only where a bracket can't hold the slash: not every `sed` ends the pattern there.
_SED_REPLACES = r"s/(?:\\[^\n]|\[\^?\]?(?:\[:[a-z]+:\]|[^\[\]/\\\n])*\]|[^/\\\[\n])+/(?:[^/\\\n]|\\[^\n])*/[gpiI0-9]*"
_SED_COMMAND = re.compile(
    rf"\s*(?:{_SED_ADDRESS}(?:\s*,\s*(?:\+?{_SED_ADDRESS}))?)?\s*!?\s*(?:[p=qQd]|{_SED_REPLACES})\s*"
)
_SED_SCRIPT_OPTION = re.compile(r"-[A-Za-z.]*[ef]|--[ef]")
_SED_OPTIONS = options("nEre:su", "quiet silent regexp-extended expression= separate unbuffered posix version")

# `-v` and `-R` evaluate an array's index, which may hold a command substitution; so does `-eq` within `[[`.
_TEST_FILE = frozenset(f"-{letter}" for letter in "abcdefghkprstuwxGLNOS") - {"-a", "-t"}
_TEST_STRING = frozenset({"-z", "-n"})
_TEST_BINARY = frozenset({"=", "==", "!=", "<", ">"})
_TEST_NUMERIC = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_TEST_FILES = frozenset({"-nt", "-ot", "-ef"})
_INTEGER = re.compile(r"[+-]?\d+")


def find_reads(arguments: Sequence[str], reads_of: Callable[[Sequence[str]], Reads | Why]) -> Reads | Why:
    """`reads_of` says what a command reads that `-exec` starts; it gets what is found, so all below may be read."""
    rest = list(arguments)
    while rest and _FIND_LEADING.fullmatch(rest[0]):
        del rest[0]
    starts: list[str] = []
    while rest and not rest[0].startswith("-") and rest[0] not in ("(", ")", "!", ","):
        starts.append(rest.pop(0))
    starts = starts or ["."]
    files = [File(path, content=False) for path in starts]
    trees: list[Tree] = []
    tokens = iter(rest)
    for token in tokens:
        if token in _FIND_ALONE:
            continue
        if token in _FIND_RUNS:
            reads = _executed(tokens, starts, reads_of)
            if isinstance(reads, Why):
                return reads
            files += reads.files
            trees += (*reads.trees, *(Tree(path, follows=not _finds_only_code(rest)) for path in starts))
            continue
        value = next(tokens, None)
        if value is None or not (token in _FIND_VALUED or _FIND_FILE.fullmatch(token)):
            return Why("unknown_option", f"find {token}")
        if _FIND_FILE.fullmatch(token) and not token.endswith("t"):
            files.append(File(value, content=False))
    return Reads(files=tuple(files), trees=tuple(trees))


def _executed(
    tokens: Iterator[str], starts: Sequence[str], reads_of: Callable[[Sequence[str]], Reads | Why]
) -> Reads | Why:
    """What `-exec COMMAND {} ;` reads beside the tree. What is found goes in as whole words that begin with a start."""
    words: list[str] = []
    for word in tokens:
        if word == ";" or (word == "+" and words[-1:] == ["{}"]):
            break
        words.append(word)
    else:
        return Why("unknown_option", "find -exec")
    if "{}" not in words[1:] or words[0] == "{}" or any("{}" in word and word != "{}" for word in words):
        return Why("unknown_option", "find -exec")
    return reads_with_found(words, starts, reads_of)


def reads_with_found(
    words: Sequence[str], starts: Sequence[str], reads_of: Callable[[Sequence[str]], Reads | Why]
) -> Reads | Why:
    """What a command reads beside the trees at `starts`, if each of its `{}` is any number of paths below these."""
    # Several, as there may be many: a program that reads one file may write its second.
    found = [f"{start.rstrip('/')}/{name}" for start in starts for name in ("a", "b", "c")]
    reads = reads_of([each for word in words for each in (found if word == "{}" else (word,))])
    if isinstance(reads, Why):
        return reads
    if reads.repository is not None or reads.moves_to is not None:
        return Why("unknown_option", f"{words[0]} {{}}")
    if not {each.path for each in reads.files}.issuperset(found):  # taken for something else, such as a program
        return Why("unknown_option", f"{words[0]} {{}}")
    others = (each for each in reads.files if each.path not in found)
    return Reads(files=(*map(File, starts), *others), trees=reads.trees)


def _finds_only_code(tokens: Sequence[str]) -> bool:
    """Whether only files are found that are no links and whose names are no secrets': `-type f -name '*.py'`."""
    tokens = tokens[: tokens.index("-exec")] if "-exec" in tokens else tokens
    pairs = tuple(itertools.pairwise(tokens))
    code = any(test == "-name" and name[:1] == "*" and name[1:] in CODE_SUFFIXES for test, name in pairs)
    return ("-type", "f") in pairs and code and frozenset({"-o", "-or", ",", "!", "-not", "("}).isdisjoint(tokens)


def sed_reads(arguments: Sequence[str]) -> Reads | Why:
    """`sed -n '10,40p'` and its like: addresses with `p`, `=`, `d`, `q`, `s` without the flags that run and write.

    No `w`, `e`, `r`, and never in place.
    """
    given = read_options(arguments, _SED_OPTIONS)
    if isinstance(given, Unknown):
        return Why("unknown_option", f"sed {given.text}")
    scripts = given.values("e", "expression")
    operands = list(given.operands)
    if not scripts:
        if not operands:
            return NOTHING if given.has("version") else Why("unknown_option", "sed")
        scripts = [operands.pop(0)]
    for script in scripts:
        if not all(_SED_COMMAND.fullmatch(command) for command in _sed_commands(script)):
            return Why("unknown_option", f"sed {script}")
    return Reads(files=tuple(File(path) for path in operands if path != "-"))


def sed_script(arguments: Sequence[str]) -> str | None:
    """The first operand, if nothing but that can be the script and it only edits text: then it is no path."""
    if any(_SED_SCRIPT_OPTION.match(each) for each in arguments):
        return None
    script = next((each for each in arguments if not each.startswith("-")), None)
    if script is None or not all(_SED_COMMAND.fullmatch(command) for command in _sed_commands(script)):
        return None
    return script


def _sed_commands(script: str) -> list[str]:
    """A script's commands; a `;` within `/…/` makes pieces that are then not recognised."""
    return script.strip().removesuffix(";").split(";")


def test_reads(words: Sequence[str]) -> Reads | Why:
    """The words of `test`, `[ … ]` or `[[ … ]]`, without the program and the closing bracket."""
    files: list[File] = []
    rest = list(words)
    while rest:
        taken = _test_primary(rest, files)
        if taken is None:
            return Why("unknown_option", f"test {rest[0]}")
        del rest[:taken]
        if rest:
            if rest[0] not in ("-a", "-o") or len(rest) == 1:
                return Why("unknown_option", f"test {rest[0]}")
            del rest[0]
    return Reads(files=tuple(files))


def _test_primary(rest: Sequence[str], files: list[File]) -> int | None:
    """How many words the expression at the front takes; None if it is none that is known."""
    negations = next((index for index, word in enumerate(rest) if word != "!"), len(rest))
    rest = rest[negations:]
    if len(rest) >= 3:
        left, op, right = rest[:3]
        if op in _TEST_BINARY or (op in _TEST_NUMERIC and _INTEGER.fullmatch(left) and _INTEGER.fullmatch(right)):
            return negations + 3
        if op in _TEST_FILES:
            files += (File(left, content=False), File(right, content=False))
            return negations + 3
    if len(rest) >= 2:
        if rest[0] in _TEST_FILE:
            files.append(File(rest[1], content=False))
            return negations + 2
        if rest[0] in _TEST_STRING:
            return negations + 2
    if rest and not rest[0].startswith("-") and rest[0] not in ("(", ")"):
        return negations + 1
    return None
