"""Keys typed while the program is still starting: kept as they are for the input line, not echoed before it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress


@contextmanager
def keys_kept() -> Generator[None]:
    """While inside, the terminal neither echoes nor edits lines, and Enter stays Enter. Ctrl-C is a signal as before.

    Without this, Enter pressed in the first moments would reach the input line as a line feed, which begins a new line
    there. On Windows and without a terminal it does nothing.
    """
    try:
        import termios
    except ImportError:
        yield
        return
    try:
        before = termios.tcgetattr(0)
    except termios.error:
        yield
        return
    quiet = termios.tcgetattr(0)
    quiet[0] &= ~termios.ICRNL
    quiet[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(0, termios.TCSANOW, quiet)
    try:
        yield
    finally:
        with suppress(termios.error):  # the terminal may be gone
            termios.tcsetattr(0, termios.TCSADRAIN, before)
