"""What a headless run is told: the prompt from the command line, and whatever stands on standard input."""

from __future__ import annotations

import locale
import os
import select
import stat
from typing import NamedTuple

from helloclaw.cli.parse import UsageError
from helloclaw.cli.run import Run
from helloclaw.wording.plain import clean

# A pipe that nobody writes to must not hang a script; a slow one must not be passed over lightly.
_PATIENCE_S = 3.0
_LIMIT_BYTES = 16 * 1024 * 1024


class Prompt(NamedTuple):
    """`text` is what the person says, `context` what was piped in beside it."""

    text: str
    context: tuple[str, ...] = ()


def read_prompt(run: Run, said: str) -> Prompt:
    """Put the prompt together; `-` or nothing means standard input. Raises `UsageError` for none, or too much."""
    if said in {"", "-"}:
        if said == "" and run.terminal.reads_terminal:
            raise UsageError("headless.no_prompt")
        text = _text(run, _everything() if run.terminal.stdin else b"")
        if not text.strip():
            raise UsageError("headless.empty_prompt")
        return Prompt(text.strip())
    text = clean(said)
    if not text.strip():
        raise UsageError("headless.empty_prompt")
    piped = "" if run.terminal.reads_terminal or run.terminal.stdin is None else _text(run, _what_is_piped(run))
    return Prompt(text, (f"<stdin>\n{piped.rstrip()}\n</stdin>",) if piped.strip() else ())


def _what_is_piped(run: Run) -> bytes:
    """Everything on standard input, unless nothing at all comes in time."""
    try:
        kind = os.fstat(0).st_mode
        waits = stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)
        if waits and os.name != "nt" and not select.select([0], [], [], _PATIENCE_S)[0]:
            run.complain(run.say("headless.silent_stdin", seconds=round(_PATIENCE_S)))
            return b""
    except (OSError, ValueError):
        return b""
    return _everything()


def _everything() -> bytes:
    pieces: list[bytes] = []
    size = 0
    try:
        while piece := os.read(0, 1 << 20):
            pieces.append(piece)
            size += len(piece)
            if size > _LIMIT_BYTES:
                raise UsageError("headless.too_long", limit=_LIMIT_BYTES >> 20)
    except OSError:
        return b"".join(pieces)
    return b"".join(pieces)


def _text(run: Run, data: bytes) -> str:
    """Bytes as text: UTF-8, else the locale's encoding, else UTF-8 with U+FFFD in it, which is said."""
    for encoding in ("utf-8-sig", locale.getpreferredencoding(False)):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    run.complain(run.say("headless.not_utf8"))
    return data.decode("utf-8", "replace")
