"""The row that says what is going on: a spinner, the phase, how long it has taken, and how to stop it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from prompt_toolkit.formatted_text import StyleAndTextTuples

from helloclaw.i18n import Texts
from helloclaw.protocol.events import Phase
from helloclaw.wording.plain import one_line
from helloclaw.wording.width import columns, padded

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_ASCII_FRAMES = "|/-\\"
_QUEUED_ROWS = 3


def phase_text(phase: Phase, say: Texts) -> str:
    return say(f"phase.{phase.state}", label=one_line(phase.label, 40))


def status_row(
    phase: Phase, seconds: float, detail: str, width: int, say: Texts, *, ascii_only: bool
) -> StyleAndTextTuples:
    """Never wider than `width` columns. `detail` is what the work itself says of its progress."""
    frames = _ASCII_FRAMES if ascii_only else _FRAMES
    frame = frames[int(seconds * 10) % len(frames)]
    text = f"{phase_text(phase, say)} {say('phase.seconds', seconds=int(seconds))}"
    stop = say("phase.stop")
    row: StyleAndTextTuples = [("class:spinner", f"{frame} ")]
    room = width - 3
    for style, piece in (("class:phase", text), ("class:dim", f" · {stop}"), ("class:dim", f" · {one_line(detail)}")):
        if piece == " · " or (room < columns(piece) and room < 12):
            continue
        row.append((style, padded(piece, min(room, columns(piece)))))
        room -= columns(piece)
    return row


def queue_rows(queued: Sequence[str], width: int, say: Texts) -> StyleAndTextTuples:
    """The messages that wait for the model's next step, one a row, and how to get them back."""
    rows: StyleAndTextTuples = []
    for text in queued[-_QUEUED_ROWS:]:
        row = f"  {say('repl.queued')} {one_line(text)}"
        rows += [("class:queued", padded(row, min(columns(row), width))), ("", "\n")]
    hint = f"  {say('repl.queued_recall')}"
    return [*rows, ("class:dim", padded(hint, min(columns(hint), width)))]
