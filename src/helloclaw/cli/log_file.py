"""Where warnings and errors of the program's own go while a session is open: to a file, never over the terminal."""

from __future__ import annotations

import logging
import os
from typing import IO, TYPE_CHECKING, cast

from helloclaw.cli.run import Run
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory
from helloclaw.storage.paths import Home, HomeUnknown
from helloclaw.wording.plain import visible

if TYPE_CHECKING:
    from logging.handlers import RotatingFileHandler

NAME = "helloclaw.log"
MOST_BYTES = 1_000_000
KEPT = 3
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


def keep_log(run: Run) -> None:
    """From now on what is logged, warned of, or raised in a task that nobody waits for is in `logs/helloclaw.log`.

    With `--debug` it is on standard error too.
    """
    root = logging.getLogger()
    try:
        root.addHandler(_LogFile(run.home()))
    except HomeUnknown:
        root.addHandler(logging.NullHandler())
    if run.arguments.flag("debug"):
        beside = logging.StreamHandler()
        beside.setFormatter(_Visible(_FORMAT))
        root.addHandler(beside)
    logging.captureWarnings(True)


class _LogFile(logging.Handler):
    """Nothing is made or loaded for it before something is to be written, which is mostly never."""

    def __init__(self, home: Home) -> None:
        super().__init__(logging.WARNING)
        self._home = home
        self._file: RotatingFileHandler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self._file is None:
                self._file = _opened(self._home)
            self._file.emit(record)
        except Exception:  # A log that can't be written stops nothing, and there is nowhere to say so.
            return


def _opened(home: Home) -> RotatingFileHandler:
    """Raises `OSError`."""
    from logging.handlers import RotatingFileHandler

    class Private(RotatingFileHandler):
        def _open(self) -> IO[str]:  # pyright: ignore[reportIncompatibleMethodOverride] # the stubs name the wrapper
            return cast(
                "IO[str]", open(self.baseFilename, self.mode, encoding="utf-8", errors=self.errors, opener=_private)
            )

        def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 # its name is logging's
            """A full disk is no reason to write over the terminal."""

    path = private_directory(home.logs) / NAME
    file = Private(path, maxBytes=MOST_BYTES, backupCount=KEPT, delay=True, errors="backslashreplace")
    file.setFormatter(logging.Formatter(_FORMAT))
    return file


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, PRIVATE_FILE)


class _Visible(logging.Formatter):
    """Names and texts of others may be in it."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))
