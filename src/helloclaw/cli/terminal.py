"""Standard input, output and error, safely: any bytes in, any text out, and a reader that goes away is no crash."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

_CONTROLS = [code for code in (*range(32), *range(127, 160)) if code not in (9, 10)]
# Marks that reorder the text around them, so that a command can look like another one (CVE-2021-42574), and ones that
# can't be seen at all.
_INVISIBLE = [0x200B, 0x2060, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_ESCAPES = {code: f"\\x{code:02x}" for code in _CONTROLS} | {code: f"\\u{code:04x}" for code in _INVISIBLE}


class OutputClosed(Exception):
    """Whoever read our standard output has gone."""


def visible(text: str) -> str:
    """Text that a terminal can only show: control characters and invisible ones become `\\x1b`, `\\u202e`…"""
    return text.translate(_ESCAPES)


def one_line(text: str, limit: int = 0) -> str:
    """Text as one visible line, cut with `…` after `limit` characters."""
    line = visible(" ".join(text.split()))
    return f"{line[: limit - 1]}…" if limit and len(line) > limit else line


def sentences(message: str, hint: str) -> str:
    """What happened, and the next step, as one text."""
    return f"{message.rstrip().rstrip('.')}. {hint}" if hint else message


def clean(text: str) -> str:
    """Text without lone surrogates, which bytes that are no UTF-8 leave in arguments: they become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return (
            os.fsencode(text).decode("utf-8", "replace")
            if _from_bytes(text)
            else text.encode("utf-8", "replace").decode()
        )
    return text


def _from_bytes(text: str) -> bool:
    return all(not 0xD800 <= ord(char) <= 0xDFFF or 0xDC80 <= ord(char) <= 0xDCFF for char in text)


class Terminal:
    """The three streams of the process. Text from elsewhere is for the caller to make `visible`."""

    def __init__(self, stdin: TextIO | None, stdout: TextIO | None, stderr: TextIO | None) -> None:
        self.stdin = stdin
        self._out = _prepared(stdout)
        self._err = _prepared(stderr)
        self.reads_terminal = _is_terminal(stdin)
        self.writes_terminal = _is_terminal(stdout)
        self.shows_progress = _is_terminal(stderr)

    @classmethod
    def of_process(cls) -> Terminal:
        return cls(sys.stdin, sys.stdout, sys.stderr)

    def write(self, text: str) -> None:
        """Raises `OutputClosed`."""
        try:
            self._out.write(text)
            self._out.flush()
        except (BrokenPipeError, ValueError) as error:
            self._abandon()
            raise OutputClosed from error

    def line(self, text: str = "") -> None:
        self.write(f"{text}\n")

    def lines(self, lines: Iterable[str]) -> None:
        self.write("".join(f"{line}\n" for line in lines))

    def json(self, value: Any, *, indent: bool = True) -> None:
        """One JSON value: for people and `jq` indented, for streams on a line of its own."""
        import msgspec

        written = encoded(value)
        self.line((msgspec.json.format(written, indent=2) if indent else written).decode())

    def error(self, text: str) -> None:
        """A line on standard error. If nobody reads it there is nobody to tell."""
        self.hint(f"{text}\n")

    def hint(self, text: str) -> None:
        try:
            self._err.write(text)
            self._err.flush()
        except (OSError, ValueError):
            return

    def _abandon(self) -> None:
        """Point standard output at nothing, so that the interpreter's last flush does not complain."""
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._out.fileno())
            os.close(nowhere)
        except (OSError, ValueError):
            return


def encoded(value: Any) -> bytes:
    """JSON bytes of any value, also with lone surrogates in its text, for which JSON's UTF-8 has no form."""
    import msgspec

    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_cleaned(msgspec.to_builtins(value)))


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case list():
            return [_cleaned(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - any JSON value
        case dict():
            return {clean(str(key)): _cleaned(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any JSON value
        case _:
            return value


def _prepared(stream: TextIO | None) -> TextIO:
    """A stream that takes any text. A closed one (`>&-`) takes it to nowhere."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")  # pyright: ignore[reportUnknownMemberType] - of any buffer
    return cast("TextIO", stream)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False
