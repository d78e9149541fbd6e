"""Standard input, output and error, safely: any bytes in, any text out, and a reader that goes away is no crash."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO, cast

from helloclaw.i18n import Phrase
from helloclaw.i18n.system import reason_of
from helloclaw.wording.plain import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class OutputClosed(Exception):
    """Whoever read our standard output has gone."""


class OutputFailed(OutputClosed):
    """Standard output takes nothing: the disk is full, say. `why` is the system's reason."""

    def __init__(self, why: Phrase | str) -> None:
        super().__init__()
        self.why = why


class Terminal:
    """The three streams of the process. Text from elsewhere is for the caller to make `visible`."""

    def __init__(self, stdin: TextIO | None, stdout: TextIO | None, stderr: TextIO | None) -> None:
        self.stdin = stdin
        self.has_output = stdout is not None
        self._out = _prepared(stdout)
        self._err = _prepared(stderr)
        self.reads_terminal = _is_terminal(stdin)
        self.writes_terminal = _is_terminal(stdout)
        self.shows_progress = _is_terminal(stderr)

    @classmethod
    def of_process(cls) -> Terminal:
        return cls(sys.stdin, sys.stdout, sys.stderr)

    def write(self, text: str) -> None:
        """Raises `OutputClosed`, `OutputFailed`."""
        try:
            self._out.write(text)
            self._out.flush()
        except (BrokenPipeError, ValueError) as error:
            self._abandon()
            raise OutputClosed from error
        except OSError as error:
            self._abandon()
            raise OutputFailed(reason_of(error)) from error

    def width(self, environ: Mapping[str, str]) -> int:
        """Columns to write in: `COLUMNS`, else the terminal's; 0 where there is no telling, as in a pipe."""
        said = environ.get("COLUMNS", "")
        if said.isascii() and said.isdigit() and int(said) > 0:
            return int(said)
        try:
            return os.get_terminal_size(self._out.fileno()).columns if self.writes_terminal else 0
        except (OSError, ValueError):
            return 0

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
