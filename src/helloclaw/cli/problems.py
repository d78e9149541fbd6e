"""Turn an exception into one line for a person and an exit code. What nobody foresaw goes to a log file, whole."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Mapping
from pathlib import Path

from helloclaw.cli.terminal import Terminal
from helloclaw.i18n import AdvisedError, Phrase, SpokenError, Texts
from helloclaw.i18n.system import reason_of
from helloclaw.wording.plain import one_line

_FAILED = 1
_USAGE = 2
_TRY_AGAIN = 75
_CODES = {"person": _USAGE, "world": _FAILED, "later": _TRY_AGAIN}


def report(error: Exception, terminal: Terminal, speak: Texts, environ: Mapping[str, str], *, debug: bool) -> int:
    """Say what went wrong. The exit code."""
    try:
        explained = explain(error)
    except Exception:  # nothing may fail here, not even an installation with parts missing
        explained = None
    if debug:
        terminal.hint("".join(traceback.format_exception(error)))
    if explained is not None:
        phrase, code = explained
        terminal.error(one_line(speak.say(phrase)))
        return code
    terminal.error(_unforeseen(error, "error.crash", speak, environ))
    return _FAILED


def in_words(error: Exception, speak: Texts, environ: Mapping[str, str]) -> str:
    """What went wrong, where the program goes on all the same. What nobody foresaw is written down."""
    explained = explain(error)
    if explained is not None:
        return one_line(speak.say(explained[0]))
    return _unforeseen(error, "error.slip", speak, environ)


def _unforeseen(error: Exception, key: str, speak: Texts, environ: Mapping[str, str]) -> str:
    log = _written_down(error, environ)
    what = f"{type(error).__name__}: {error}"
    return one_line(speak(key if log else f"{key}_unlogged", what=one_line(what, 200), log=log))


def explain(error: Exception) -> tuple[Phrase, int] | None:
    """The sentence and exit code of an error that a person can do something about; None for a bug of ours."""
    if isinstance(error, SpokenError):
        return _named(error), _CODES[error.blame]
    from helloclaw.storage.locks import Busy
    from helloclaw.storage.paths import HomeUnknown

    match error:
        case HomeUnknown():
            return Phrase("error.no_home"), _USAGE
        case Busy():
            return Phrase("error.locked", path=str(error)), _FAILED
        case OSError() if error.filename is not None:
            return Phrase("error.file", path=str(error.filename), why=reason_of(error)), _FAILED
        case _:
            return None


def _named(error: SpokenError) -> Phrase:
    """The error as a line of the program's: what does not begin with its subject is given one."""
    bare = isinstance(error, AdvisedError) or error.phrase.key.startswith(("journal.", "weights."))
    return Phrase("error.plain", text=error.phrase) if bare else error.phrase


def _written_down(error: Exception, environ: Mapping[str, str]) -> str:
    """Append the traceback to a log of its own; the log's path, or nothing if it can't be written."""
    from helloclaw.storage.atomic import PRIVATE_FILE, private_directory
    from helloclaw.storage.paths import HomeUnknown, find_home

    name = time.strftime(f"crash-%Y%m%d-%H%M%S-{os.getpid()}.log")
    try:
        path: Path = private_directory(find_home(environ).logs) / name
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write("".join(traceback.format_exception(error)))
    except (OSError, HomeUnknown):
        return ""
    return str(path)
