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
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not be taken for an answer
    document = read(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Reading))
    answers.write(msgspec.msgpack.encode(document))
    answers.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
