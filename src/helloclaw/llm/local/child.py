"""The process that runs llama.cpp's server: `python -m helloclaw.llm.local.child`, started by `server`, never by hand.

It reads one JSON line from stdin, answers with one on stdout when the model is loaded, and ends when stdin does: the
pipe closes when its parent dies, however it dies. llama.cpp's own output goes to stderr.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import sys
from typing import Any

_PR_SET_PDEATHSIG = 1
LOG_WARNINGS = 2
"""llama.cpp's verbosity: errors and warnings. More of it would put prompts into the log."""

_SPINS = "1000"
"""How often a thread of OpenMP looks before it sleeps. By default they spin so long that, on cores they have to share,
they keep each other from working: 0.6 tokens a second instead of 10. On cores of their own it costs nothing."""


def main() -> None:
    parent = os.getppid()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not be taken for an answer
    _die_with_parent(parent)
    options: dict[str, Any] = json.loads(sys.stdin.readline())
    try:
        server = _serve(options)
    except Exception as error:  # xllamacpp raises RuntimeError for everything llama.cpp refuses
        answers.write(json.dumps({"error": str(error) or type(error).__name__}) + "\n")
        answers.flush()
        os._exit(1)
    answers.write(json.dumps({"url": server.listening_address}) + "\n")
    answers.flush()
    with contextlib.suppress(OSError, KeyboardInterrupt):
        while sys.stdin.read(4096):
            pass
    os._exit(0)  # llama.cpp's own way out waits for requests that nobody reads any more


def _serve(options: dict[str, Any]) -> Any:
    """Load the model and listen on loopback, on a port that the system picks."""
    os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)
    xllamacpp: Any = importlib.import_module("xllamacpp")  # it has no type hints
    params = xllamacpp.CommonParams()
    params.model.path = options["path"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [options["api_key"]]
    params.cors_origins = ""
    params.n_ctx = options["context_tokens"]
    params.n_parallel = 1  # one conversation, one cache
    params.cache_ram_mib = options["cache_mib"]
    for pool in (params.cpuparams, params.cpuparams_batch):
        pool.n_threads = options["threads"]
    params.no_extra_bufts = options["frugal"]
    params.fit_params = False  # it loads the model twice to find out what `machine` knows
    params.warmup = False
    params.ui = False
    params.endpoint_slots = False
    params.slot_save_path = options["state_directory"]
    params.verbosity = LOG_WARNINGS
    return xllamacpp.Server(params)


def _die_with_parent(parent: int) -> None:
    """On Linux the kernel ends this process too: stdin is watched only once the model is loaded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


if __name__ == "__main__":
    main()
