"""What the model has once read of its instructions, kept on disk: reading them anew takes ten seconds on two cores.

A file (26 MB for 900 tokens) holds llama.cpp's state after system text and examples, and nothing of a conversation. It
is only ever a short cut: whatever is wrong with it, the instructions are read as if it were not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from helloclaw.i18n import Phrase
from helloclaw.llm.events import Failed
from helloclaw.llm.local.client import LlamaClient
from helloclaw.llm.local.server import OnStatus
from helloclaw.llm.messages import ModelRequest, user_text

KEPT = 4
"""Files: other tools or words of the person's make other instructions."""

_SUFFIX = ".kv"
_ANY_REQUEST = "Hello!"


class PrefixCache:
    """One directory of states, for one GGUF file. `directory` must be the server's `state_directory`."""

    def __init__(self, directory: Path, gguf: Path, context_tokens: int) -> None:
        self._directory = directory
        status = gguf.stat()
        self._identity = (str(gguf), status.st_size, status.st_mtime_ns, context_tokens, _llama_version())

    async def warm(self, client: LlamaClient, asked: ModelRequest, instructions: int, on_status: OnStatus) -> None:
        """Have the server know the first `instructions` messages of `asked`. It must not be in use yet."""
        prefix = msgspec.structs.replace(
            asked, messages=(*asked.messages[:instructions], user_text(_ANY_REQUEST)), max_output_tokens=1
        )
        name = f"{self._key(prefix)}{_SUFFIX}"
        state = self._directory / name
        if state.exists() and await client.restore_state(name):
            with contextlib.suppress(OSError):
                os.utime(state)
            return
        on_status(Phrase("status.instructions"))
        if not isinstance(await client.first_token(prefix), Failed):
            await self._save(client, name)
        on_status(None)

    async def _save(self, client: LlamaClient, name: str) -> None:
        temporary = f"{secrets.token_hex(8)}.tmp"
        try:
            if await client.save_state(temporary):
                os.chmod(self._directory / temporary, 0o600)
                os.replace(self._directory / temporary, self._directory / name)
                forget_oldest(self._directory)
        except OSError:
            pass  # a full disk, say
        finally:
            with contextlib.suppress(OSError):
                os.unlink(self._directory / temporary)

    def _key(self, prefix: ModelRequest) -> str:
        said = msgspec.json.encode((self._identity, prefix.system, prefix.messages))
        return hashlib.sha256(said).hexdigest()[:32]


def forget_oldest(directory: Path, kept: int = KEPT) -> Sequence[Path]:
    """Remove all states but the `kept` that were used last. Returns what was removed."""
    states = sorted(directory.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in states[kept:]:
        path.unlink(missing_ok=True)
    return states[kept:]


def _llama_version() -> str:
    try:
        return version("xllamacpp")
    except PackageNotFoundError:
        return ""
