"""`python -m agents [repl] …`: the same as `helloclaw …`."""

import sys

from agents.checkout import run

sys.exit(run(sys.argv[1:]))
