"""Make the workspace on first use, from templates. Nothing is overwritten, and what a person deleted stays deleted.

`.made.json` remembers the language and which files were made, so that a deleted one is told from one never made.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from helloclaw.i18n import Lang
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file
from helloclaw.workspace.name import established
from helloclaw.workspace.names import NAMES, Name
from helloclaw.workspace.reading import BadFile, read_text

_RECORD = ".made.json"
_RECORD_BYTES = 64 * 1024
_IDENTITY_BYTES = 1024 * 1024
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class _Made(Struct, frozen=True, kw_only=True):
    """The record."""

    language: Lang
    made: tuple[str, ...] = ()


def template(name: Name, language: Lang) -> str:
    return (files("helloclaw.workspace") / "templates" / language / name).read_text(encoding="utf-8")


def is_template(name: Name, text: str) -> bool:
    """Whether nobody has changed a file since it was made."""
    languages: tuple[Lang, ...] = ("en", "zh")
    return any(text.strip() == template(name, language).strip() for language in languages)


def make_missing(root: Path, language: Lang) -> None:
    """Make the files that were never made, in `language` if these are the first, and AGENTS.md in any case.

    Two processes may do so at once: each file is made by one of them, all in one language. Raises `OSError`.
    """
    private_directory(root)
    record = root / _RECORD
    made = _recorded(record)
    if made is None:
        create_file(record, msgspec.json.encode(_Made(language=language)))
        made = _recorded(record) or _Made(language=language)
    missing: list[Name] = [name for name in NAMES if name not in made.made]
    for name in missing:
        if name != "BOOTSTRAP.md" or not _has_name(root):
            create_file(root / name, template(name, made.language).encode())
    if missing:
        replace_file(record, msgspec.json.encode(_Made(language=made.language, made=NAMES)), mode=PRIVATE_FILE)
    create_file(root / "AGENTS.md", template("AGENTS.md", made.language).encode())


def create_file(path: Path, data: bytes) -> bool:
    """Make a file with its whole content, 0600; False if something is there already. Raises `OSError`."""
    if os.path.lexists(path):
        return False
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        return _link(temporary, path, data)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _link(temporary: str, path: Path, data: bytes) -> bool:
    """Give a file its name, which a rename would take away from another."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return _write_new(path, data)
    return True


def _write_new(path: Path, data: bytes) -> bool:
    """Where the file system has no hard links."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), PRIVATE_FILE)
    except FileExistsError:
        return False
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    return True


def _recorded(record: Path) -> _Made | None:
    """None if nothing was made yet. A record that can't be read says that all was: nothing deleted comes back by it."""
    try:
        text = read_text(record, limit_bytes=_RECORD_BYTES).text
        return msgspec.json.decode(text.encode(), type=_Made)
    except FileNotFoundError:
        return None
    except (BadFile, msgspec.DecodeError):
        return _Made(language="en", made=NAMES)


def _has_name(root: Path) -> bool:
    try:
        return established(read_text(root / "IDENTITY.md", limit_bytes=_IDENTITY_BYTES).text) is not None
    except (FileNotFoundError, BadFile):
        return False
