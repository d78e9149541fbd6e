"""`python -m agents.webui …`: the same as `helloclaw web …`."""

import sys

from agents.checkout import run

if __name__ == "__main__":
    sys.exit(run(["web", *sys.argv[1:]]))
