"""Write a message in an editor of one's own, by way of a private temporary file."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

from helloclaw.i18n import Phrase, SpokenError
from helloclaw.i18n.system import reason_of
from helloclaw.wording.plain import one_line

_COMMON = ("nano", "vim", "vi")


class EditorFailed(SpokenError):
    """The text could not be edited; the phrase says why and what to do."""


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """The program of `$VISUAL`, `$EDITOR`, or one that most systems have. Raises `EditorFailed`."""
    named = environ.get("VISUAL") or environ.get("EDITOR")
    if not named:
        found = next((path for name in _COMMON if (path := shutil.which(name, path=environ.get("PATH")))), None)
        if found is None:
            raise EditorFailed("compose.editor.none")
        return [found]
    try:
        return shlex.split(named)
    except ValueError as error:
        raise EditorFailed("compose.editor.start", editor=one_line(named, 80), reason=str(error)) from error


def edit(text: str, command: Sequence[str], environ: Mapping[str, str]) -> str:
    """`text` as it is after `command` was run on a file with it. Raises `EditorFailed`; blocks until it is closed."""
    name = one_line(command[0], 80)
    try:
        handle, path = tempfile.mkstemp(prefix="helloclaw-", suffix=".md")
    except OSError as error:
        raise EditorFailed("compose.editor.file", reason=reason_of(error)) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
            stream.write(text + "\n" * bool(text and not text.endswith("\n")))
        code = subprocess.run([*command, path], env=dict(environ), check=False).returncode
        if code:
            raise EditorFailed("compose.editor.failed", editor=name, code=code)
        with open(path, encoding="utf-8", errors="replace") as stream:
            edited = stream.read()
    except (OSError, ValueError) as error:
        raise EditorFailed("compose.editor.start", editor=name, reason=_reason(error)) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)
    return edited if text.endswith("\n") else edited.removesuffix("\n")


def _reason(error: OSError | ValueError) -> Phrase | str:
    return reason_of(error) if isinstance(error, OSError) else str(error)
