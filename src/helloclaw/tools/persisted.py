"""Output too long for the model: the whole goes to a file in the working directory, the model gets a preview of it."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Generator
from hashlib import blake2b
from pathlib import Path
from typing import TextIO

from msgspec import structs

from helloclaw.storage.atomic import PRIVATE_DIR, PRIVATE_FILE
from helloclaw.tools.base import ToolOutput

OUTPUTS = ".task_outputs"
RESULTS = "tool-results"
BASH_LIMIT = 30_000
LIMIT = 50_000
PREVIEW_CHARS = 2_000
# What is shown when there is no file to look the rest up in.
TRUNCATED_CHARS = 20_000
# A command that prints without end must not fill the disk.
FILE_CHARS = 64 * 1024 * 1024
_SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def persist_if_long(output: ToolOutput, tool: str, call_id: str, workdir: Path) -> ToolOutput:
    """`output` with its text within the tool's limit; a longer one goes to a file named by the call. Blocks."""
    limit = BASH_LIMIT if tool == "bash" else LIMIT
    if len(output.text) <= limit:
        return output
    store = OutputStore(workdir, call_id, limit=limit)
    store.add(output.text)
    store.close()
    return structs.replace(output, text=store.for_model())


class OutputStore:
    """Gathers a text that grows: up to `limit` characters in memory, beyond that in a file, but for its head and tail.

    No `OSError` leaves it: on a full or read-only disk the output is truncated, and says so.
    """

    def __init__(self, workdir: Path, output_id: str, *, limit: int, folder: str = RESULTS) -> None:
        self.total = 0
        self.place = Path(OUTPUTS) / folder / f"{safe_id(output_id)}.txt"
        self._workdir = workdir
        self._limit = limit
        self._whole: list[str] | None = []
        self._head = ""
        self._tail = ""
        self._file: TextIO | None = None
        self._kept = 0
        self._failure = ""

    def add(self, text: str) -> None:
        self.total += len(text)
        if self._whole is not None:
            self._whole.append(text)
            if self.total > self._limit:
                self.spill()
            return
        self._keep_ends(text)
        self._write(text)

    def spill(self) -> None:
        """Move what is in memory to the file, where all that follows goes too."""
        text = "".join(self._whole or ())
        self._whole = None
        self._keep_ends(text)
        try:
            try:
                self._file = _create(self._workdir, self.place)
            except FileExistsError:
                # Some models count their calls from zero in every session; what they had before is not overwritten.
                self.place = self.place.with_stem(f"{self.place.stem}-{secrets.token_hex(4)}")
                self._file = _create(self._workdir, self.place)
        except OSError as error:
            self._failure = error.strerror or str(error)
        self._write(text)

    def close(self) -> None:
        """Finish the file. More may still be added, but is no longer kept."""
        if self._file is None:
            return
        with self._trying():
            self._file.close()
        self._file = None

    @property
    def in_file(self) -> bool:
        """Whether the whole output is in the file `place`, below the working directory."""
        return self._whole is None and not self._failure

    def tail(self, size: int = PREVIEW_CHARS) -> str:
        """The last characters, at most `size` or what is kept in memory."""
        return ("".join(self._whole) if self._whole is not None else self._tail)[-size:]

    def for_model(self) -> str:
        """The whole text if it is within the limit, else head and tail around a line which says where the rest is."""
        if self._whole is not None:
            return "".join(self._whole)
        half = (TRUNCATED_CHARS if self._failure else PREVIEW_CHARS) // 2
        if self.total <= 2 * half:
            return self._head[:half] + self._tail[len(self._tail) - max(0, self.total - half) :]
        left_out = self.total - 2 * half
        return f"{self._head[:half]}\n[… {left_out} characters left out; {self.where()}]\n{self._tail[-half:]}"

    def where(self) -> str:
        """Which part of the output is in which file."""
        if not self._failure:
            return f"all {self.total} characters are in {self._workdir / self.place}"
        if self._kept:
            return f"only the first {self._kept} characters are in {self._workdir / self.place}: {self._failure}"
        return f"the output is truncated, it could not be saved to {self._workdir / self.place}: {self._failure}"

    def _keep_ends(self, text: str) -> None:
        kept = TRUNCATED_CHARS // 2
        self._head += text[: kept - len(self._head)]
        self._tail = (self._tail + text)[-kept:]

    def _write(self, text: str) -> None:
        if self._file is None or self._failure:
            return
        part = text[: FILE_CHARS - self._kept]
        with self._trying():
            self._file.write(part)
            self._file.flush()
            self._kept += len(part)
        if len(part) < len(text):
            self._failure = "the file reached its limit"

    @contextlib.contextmanager
    def _trying(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            self._failure = error.strerror or str(error)


def safe_id(output_id: str) -> str:
    """A file name from an id that a model's provider made up: itself if harmless, else a hash of it."""
    if _SAFE_ID.fullmatch(output_id):
        return output_id
    return blake2b(output_id.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _create(workdir: Path, place: Path) -> TextIO:
    """Make a new file. A cloned repository may hold symlinks by these names: none is followed. Raises `OSError`."""
    directory = workdir
    for part in place.parent.parts:
        directory = directory / part
        with contextlib.suppress(FileExistsError):
            directory.mkdir(mode=PRIVATE_DIR)
        if directory.is_symlink() or not directory.is_dir():
            raise NotADirectoryError(20, f"{directory} is not a directory of ours")
    with contextlib.suppress(FileExistsError):
        _open_new(workdir / OUTPUTS / ".gitignore", "*\n").close()
    return _open_new(workdir / place)


def _open_new(path: Path, text: str = "") -> TextIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    stream = os.fdopen(os.open(path, flags, PRIVATE_FILE), "w", encoding="utf-8", errors="replace", newline="\n")
    stream.write(text)
    return stream
