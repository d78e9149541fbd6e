"""`python -m helloclaw`: the command line."""

import sys

from helloclaw.cli.main import entry

sys.exit(entry())
