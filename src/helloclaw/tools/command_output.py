"""What becomes of a command's output while it runs: decoded, kept within bounds, shown at a screen's pace."""

from __future__ import annotations

import asyncio
import codecs
import locale
import signal
from collections.abc import Callable

from helloclaw.tools.command import Ending
from helloclaw.tools.output_text import OutputDecoder
from helloclaw.tools.persisted import OutputStore

_REPORT_INTERVAL_S = 0.1
_REPORT_CHARS = 2000


class CommandOutput:
    """Receives bytes, gathers them in `store` and reports them. `close` it in the end, whatever happened."""

    def __init__(self, store: OutputStore, report: Callable[[str], None]) -> None:
        self.store = store
        self._decoder = OutputDecoder(_fallback_codecs())
        self._progress = _Progress(report)

    def receive(self, data: bytes) -> None:
        self._take(self._decoder.feed(data))

    def close(self) -> None:
        self._take(self._decoder.flush())
        self._progress.close()
        self.store.close()

    def _take(self, text: str) -> None:
        if text:
            self.store.add(text)
            self._progress.add(text)


class _Progress:
    """Reports at once, and then at most every `_REPORT_INTERVAL_S` the end of what came since."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._pending = ""
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str) -> None:
        self._pending = (self._pending + text)[-_REPORT_CHARS:]
        if self._timer is None:
            self._send()

    def _send(self) -> None:
        self._timer = None
        if self._pending:
            pending, self._pending = self._pending, ""
            self._timer = asyncio.get_running_loop().call_later(_REPORT_INTERVAL_S, self._send)
            self._report(pending)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._pending:
            self._report(self._pending)


def describe(ending: Ending) -> str:
    """How a command ended, in a few words; empty for plain success."""
    code = ending.exit_code
    if code is None:
        return f"timed out after {ending.seconds:.0f} s; it and everything it had started were stopped"
    if code < 0:
        return f"killed by {_signal_name(-code)}"
    return f"exit code {code}" if code else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _fallback_codecs() -> tuple[str, ...]:
    """What output may be in that is not UTF-8: the locale's encoding, and what Chinese programs write."""
    return tuple(dict.fromkeys(codecs.lookup(name).name for name in (locale.getencoding(), "gb18030")))
