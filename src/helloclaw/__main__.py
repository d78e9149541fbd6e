"""`python -m helloclaw`: the command line."""

import os
import sys


def working_directory() -> str | None:
    """None where it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return None


# Python looks into the working directory first, where a repository's `msgspec.py` would be taken for the real one.
if not sys.flags.safe_path and sys.path[:1] in ([working_directory()], [""]):
    del sys.path[0]

from helloclaw.cli.main import entry  # noqa: E402 - not before the search path is safe

sys.exit(entry())
