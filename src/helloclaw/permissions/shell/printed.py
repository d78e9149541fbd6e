"""What well-known programs print for known words and input: `echo`, `printf`, `cat`, `base64 -d`. Pure; a guess."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence

from helloclaw.permissions.shell.words import split_pieces

_FORMAT = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[sbqdiuxXc]|%%")


def printed(words: Sequence[str], stdin: str | None) -> str | None:
    """What a well-known program prints for these words and this input."""
    name, arguments = words[0].rpartition("/")[2], list(words[1:])
    match name:
        case "echo":
            while arguments and re.fullmatch(r"-[neE]+", arguments[0]):
                del arguments[0]
            said = " ".join(arguments)
            decoded = _escapes(said)  # some shells' `echo` does, some don't: the next command may get either
            return said if decoded == said else f"{said}\n{decoded}"
        case "printf" if arguments:
            return _format(arguments)
        case "cat" | "tee" | "head" | "tail" | "sort" | "uniq" | "tac":
            return stdin
        case "rev" if stdin is not None:
            return "\n".join(line[::-1] for line in stdin.splitlines())
        case "base64" | "openssl" | "xxd" if stdin is not None:
            return _decoded(name, stdin)
        case "which" | "type" | "command" if arguments:
            return arguments[-1]
        case _:
            return None


def _format(arguments: list[str]) -> str:
    """`printf`: escapes count in the format only, and in values of `%b`; both readings are given."""
    pattern, *values = arguments if arguments[0] != "--" else arguments[1:] or [""]
    readings = [_filled(pattern, values), _filled(_escapes(pattern), values), _escapes(_filled(pattern, values))]
    return "\n".join(dict.fromkeys(readings))


def _filled(pattern: str, values: list[str]) -> str:
    remaining = iter(values)
    text = _FORMAT.sub(lambda match: "%" if match.group() == "%%" else next(remaining, ""), pattern)
    rest = " ".join(remaining)  # the format is used again for these
    return f"{text} {rest}" if rest and "%" in pattern else text


def _escapes(text: str) -> str:
    if "\\" not in text:
        return text
    quoted = split_pieces("$'" + text.replace("'", "\\'").replace("\\0", "\\") + "'")
    return "".join(piece.text for piece in quoted)


def _decoded(name: str, text: str) -> str | None:
    try:
        raw = bytes.fromhex(text.strip()) if name == "xxd" else base64.b64decode(text.strip())
    except (ValueError, binascii.Error):
        return None
    return raw.decode("utf-8", "replace")
