"""`helloclaw schema`: the contract of events and commands as JSON Schema."""

from __future__ import annotations

from helloclaw.cli.run import Run


def main(run: Run) -> int:
    from helloclaw.protocol.schema import contract_schema

    run.terminal.json(contract_schema())
    return 0
