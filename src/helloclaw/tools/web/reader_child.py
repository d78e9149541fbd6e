"""The process that reads pages: `python -m helloclaw.tools.web.reader_child MEMORY_BYTES CPU_SECONDS`.

It takes a `Reading` as MessagePack on stdin and gives a `Document` on stdout. `reader_process` starts it.
"""

from __future__ import annotations

import contextlib
import os
import sys

import msgspec

from helloclaw.tools.web.reader import Reading, read


def main() -> None:
    memory_bytes, seconds = map(int, sys.argv[1:3])
    _limit(memory_bytes, seconds)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not be taken for an answer
    document = read(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Reading))
    answers.write(msgspec.msgpack.encode(document))
    answers.flush()
    os._exit(0)


def _limit(memory_bytes: int, seconds: int) -> None:
    """As far as the system can: Windows knows none of these limits, macOS not all."""
    try:
        import resource
    except ImportError:
        return
    wanted = {resource.RLIMIT_AS: memory_bytes, resource.RLIMIT_CPU: seconds, resource.RLIMIT_CORE: 0}
    for kind, most in wanted.items():
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    main()
