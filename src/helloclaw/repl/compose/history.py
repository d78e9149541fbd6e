"""What was typed before, in one private file that every running HelloClaw appends to.

A line of the file is one entry as a JSON string. What looks like a secret stays in memory, and so does what is huge.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import re
from collections.abc import AsyncGenerator, Generator, Iterable, Iterator
from pathlib import Path

from prompt_toolkit.history import History

from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file
from helloclaw.storage.locks import Busy, hold

KEPT = 10_000
"""Entries that a trim keeps."""

# A trim rewrites the whole file, so it waits until there is something to gain.
_SLACK = 1000
_ENTRY_CHARS = 256 * 1024
_LOCK_WAIT_S = 2.0
# Entries handed to the screen before other work of the event loop gets its turn.
_SHARE = 500


# What a secret holds for certain, and the expression that must match from there, both of folded text. One search for
# each plain word is many times faster than one expression for all, and an entry may be a whole file.
@functools.cache
def _signs() -> tuple[tuple[str, re.Pattern[str]], ...]:
    rows = (
        (("sk-", "sk_", "rk_", "pk_"), r"(?<![\w-])..[-_][\w-]{16}"),  # OpenAI, Anthropic, DeepSeek, Stripe
        (("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "glpat-", "npm_", "pypi-", "hf_"), r"(?<!\w)[a-z]+[_-][\w-]{10}"),
        (("github_pat_", "xoxa-", "xoxb-", "xoxp-", "xoxo-", "xoxs-", "xoxr-"), r"(?<!\w)[\w-]{16}"),
        (("akia", "asia"), r"(?<!\w)....[0-9a-z]{16}(?!\w)"),
        (("aiza",), r"(?<!\w)aiza[\w-]{30}"),
        (("eyj",), r"(?<!\w)eyj[\w-]{8,500}\.[\w-]{8}"),  # JSON web token
        ((".",), r"(?<=[0-9a-f]{32})\.[a-z0-9]{16}(?!\w)"),  # GLM
        (("-----begin ",), r"-----begin [a-z ]{0,30}private key"),
        (("bearer",), r"(?<!\w)bearer\s{1,5}[\w.~+/=-]{16}"),
        (
            ("api_key", "api-key", "apikey", "access_key", "auth_token", "access_token"),
            r"[\w-]{6,40}\s{0,5}[=:]\s{0,5}\S{6}",
        ),
        (("password", "passwd", "secret"), r"\w{6,30}\s{0,5}[=:]\s{0,5}\S{6}"),
        (("://",), r"://[^/\s:@]{0,100}:[^/\s@]{1,200}@"),  # a password within a URL
    )
    return tuple((sign, re.compile(expression)) for signs, expression in rows for sign in signs)


def looks_secret(text: str) -> bool:
    """Whether an entry holds what may be a key, a token or a password."""
    folded = text.lower()
    for sign, expression in _signs():
        at = folded.find(sign)
        while at >= 0:
            if expression.match(folded, at):
                return True
            at = folded.find(sign, at + len(sign))
    return False


def encoded(entry: str) -> bytes:
    """An entry as a line of the file. Lone surrogates, which UTF-8 has not, are written as escapes."""
    try:
        return json.dumps(entry, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(entry).encode() + b"\n"


def decoded(data: bytes) -> Iterator[str]:
    """The entries of a file, oldest first; whatever is no entry is passed over."""
    for line in data.split(b"\n"):
        if line.startswith(b'"'):
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, str):
                    yield entry


class FileHistory(History):
    """The history of the input line. Reading and writing fail silently: nobody's work depends on it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._reading: asyncio.Task[list[str]] | None = None
        self.given = 0
        """Entries that the latest `load` has handed out and that were taken."""

    async def load(self) -> AsyncGenerator[str, None]:
        """Entries, latest first. The file is read once, in a thread."""
        self.given = 0
        if not self._loaded:
            if self._reading is None:
                self._reading = asyncio.create_task(asyncio.to_thread(self._read))
            past = await asyncio.shield(self._reading)
            if not self._loaded:
                self._loaded = True
                for entry in self._loaded_strings:  # typed meanwhile, so perhaps read as well
                    with contextlib.suppress(ValueError):
                        past.remove(entry)
                self._loaded_strings += past
        for number, entry in enumerate(list(self._loaded_strings), 1):
            yield entry
            self.given += 1
            if number % _SHARE == 0:
                await asyncio.sleep(0)

    def latest_with(self, beginning: str) -> str | None:
        """The latest entry that goes on where `beginning` ends."""
        return next((past for past in self._loaded_strings if past.startswith(beginning) and past != beginning), None)

    def append_string(self, string: str) -> None:
        """Add an entry, unless it is the latest one again."""
        if not self._loaded_strings or self._loaded_strings[0] != string:
            super().append_string(string)

    def load_history_strings(self) -> Iterable[str]:
        return self._read()

    def store_string(self, string: str) -> None:
        if len(string) > _ENTRY_CHARS or looks_secret(string):
            return
        with contextlib.suppress(OSError), self._locked():
            private_directory(self._path.parent)
            handle = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, PRIVATE_FILE)
            try:
                size = os.fstat(handle).st_size
                torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
                os.write(handle, (b"\n" if torn else b"") + encoded(string))
            finally:
                os.close(handle)

    def _read(self) -> list[str]:
        """All entries, latest first. Trims the file when it has become long."""
        try:
            entries = list(decoded(self._path.read_bytes()))
            if len(entries) > KEPT + _SLACK:
                entries = self._trim()
        except OSError:
            return []
        return entries[: -KEPT - 1 : -1]

    def _trim(self) -> list[str]:
        with self._locked() as alone:
            entries = list(decoded(self._path.read_bytes()))
            if alone:
                replace_file(self._path, b"".join(map(encoded, entries[-KEPT:])), mode=PRIVATE_FILE)
        return entries

    @contextlib.contextmanager
    def _locked(self) -> Generator[bool]:
        """Keep trims and appends of other processes apart; False where the lock can't be had."""
        try:
            lock = hold(self._path.with_name(f".{self._path.name}.lock"), timeout_s=_LOCK_WAIT_S)
        except (Busy, OSError, NotImplementedError):
            yield False
            return
        try:
            yield True
        finally:
            lock.release()
