"""Which paths a program that is known to write would write. Pure; for finding what is denied, never for allowing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from helloclaw.permissions.shell.expressions import sed_script
from helloclaw.permissions.shell.programs import PROGRAMS
from helloclaw.permissions.tables import names

# Every operand is written, made, moved or removed.
_ALL = names(
    "tee sponge touch mkdir rmdir rm unlink mv ln link chmod chown chgrp truncate shred split csplit mkfifo mknod "
    "setfacl chattr chflags xattr patch ed ex vi vim nvim emacs nano pico micro gzip gunzip bzip2 xz zstd trash "
    "trash-put rename vidir srm wipe dos2unix unix2dos prettier fallocate symlinks grm rimraf"
)
# The last operand is, and the value of `-t`.
_LAST = names("cp install rsync scp ditto gcp uniq zip 7z unzip tar cpio pax convert ffmpeg")
# Every operand is, if one of these is given.
_IN_PLACE: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "sed": ("-i", "--in-place", "-i.bak", "--in"),
        "gsed": ("-i", "--in-place"),
        "perl": ("-i", "-pi", "-ni", "-pie"),
        "ruby": ("-i", "-pi"),
        "yq": ("-i", "--inplace"),
        "sort": ("-o", "--output"),
        "awk": ("-i", "inplace"),
        "gawk": ("-i", "inplace"),
        "clang-format": ("-i",),
    }
)
# Theirs may be one of several letters: `sed -Ei`, `perl -lpi`.
_CLUSTERING = names("sed gsed perl ruby")
_I_AMONG_LETTERS = re.compile(r"-[A-Za-z0-9]*i|--i")
_GIT_WRITERS = names("checkout restore rm mv clean reset apply am stash switch")
# Of the programs that mostly read, those whose `-o` writes; of the others, those whose `-o` does not.
_OUTPUT_TAKERS = frozenset({"sort", "tree"})
_NO_OUTPUT = names("echo printf test [ [[ find xargs env sed awk ssh sshfs ps set bash sh mount lsof useradd")
_OUTPUT_OPTIONS = names("-o --output -O --output-document -out --output-file")
# Options that name a directory to write to.
_TARGET_OPTIONS: MappingProxyType[str, frozenset[str]] = MappingProxyType(
    {
        **dict.fromkeys(names("cp mv ln install"), frozenset({"-t", "--target-directory"})),
        "tar": frozenset({"-C", "--directory"}),
        "unzip": frozenset({"-d"}),
    }
)


def written_paths(name: str, arguments: Sequence[str]) -> Iterator[str]:
    """The paths, as written, that `name` with these arguments writes."""
    operands = [each for each in arguments if not each.startswith("-")]
    if name in ("sed", "gsed") and operands and sed_script(arguments) == operands[0]:
        del operands[0]
    if name in _ALL or _works_in_place(name, arguments) or (name == "git" and not _GIT_WRITERS.isdisjoint(operands)):
        yield from operands
    elif name in _LAST:
        yield from operands[-1:]
    elif name == "dd":
        yield from (each[3:] for each in arguments if each.startswith("of="))
    if name in _OUTPUT_TAKERS or (name not in PROGRAMS and name not in _NO_OUTPUT):
        yield from _outputs(arguments, _OUTPUT_OPTIONS | _TARGET_OPTIONS.get(name, frozenset()))


def _works_in_place(name: str, arguments: Sequence[str]) -> bool:
    flags = _IN_PLACE.get(name)
    if flags is None:
        return False
    clustered = name in _CLUSTERING and any(map(_I_AMONG_LETTERS.match, arguments))
    return clustered or any(each.startswith(flags) for each in arguments)


def _outputs(arguments: Sequence[str], options: frozenset[str]) -> Iterator[str]:
    """Values of options that name an output."""
    for index, argument in enumerate(arguments):
        if not argument.startswith("-"):
            continue
        name, has_value, value = argument.partition("=")
        if has_value and name in options:
            yield value
        elif argument in options:
            yield from arguments[index + 1 : index + 2]
        elif len(argument) > 2 and argument[1] != "-" and argument[:2] in options:
            yield argument[2:]
