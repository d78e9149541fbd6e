"""`python -m helloclaw`: the command line."""

import os
import sys

# Python looks into the working directory first, where a repository's `msgspec.py` would be taken for the real one.
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]

from helloclaw.cli.main import entry

sys.exit(entry())
