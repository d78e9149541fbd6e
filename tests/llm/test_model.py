from __future__ import annotations

import subprocess
import sys

HEAVY = ("httpx2", "httpcore2", "ssl", "asyncio", "jiter", "difflib")


def test_the_door_can_be_imported_without_what_is_behind_it() -> None:
    code = f"import sys, helloclaw.llm.model; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
