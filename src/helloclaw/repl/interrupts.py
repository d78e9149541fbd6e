"""Ctrl-C and SIGTERM as a wish to stop, not as an exception somewhere."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def interrupt_on_terminate() -> None:
    """Before there is a loop: SIGTERM and SIGHUP end the program as Ctrl-C does, with `KeyboardInterrupt`."""

    def interrupt(number: int, _: object) -> None:
        raise KeyboardInterrupt(number)

    for each in _SIGNALS:
        signal.signal(each, interrupt)


@contextmanager
def on_interrupt(stop: Callable[[signal.Signals], None]) -> Generator[None]:
    """Call `stop` in the running loop for every such signal, while inside."""
    loop = asyncio.get_running_loop()
    before = {each: signal.getsignal(each) for each in _SIGNALS}
    for each in _SIGNALS:
        try:
            loop.add_signal_handler(each, stop, each)
        except NotImplementedError:  # Windows
            signal.signal(each, lambda number, _: loop.call_soon_threadsafe(stop, signal.Signals(number)))
    try:
        yield
    finally:
        for each in _SIGNALS:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(each)
            signal.signal(each, before[each])
