"""Auto mode with a working sandbox: what stays inside and needs no network passes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from helloclaw.permissions.verdict import Behaviour, Scope
from tests.permissions.judging import behaviour, denying, judge

ALLOW, ASK, DENY = Behaviour


@pytest.fixture
def sandbox(plain_scope: Scope) -> Scope:
    """The test's workspace is in a temporary directory, which a sandbox leaves writable; home has to be elsewhere."""
    return msgspec.structs.replace(plain_scope, sandboxed=True, home=Path("/home/somebody"))


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "touch x",
        "mkdir -p build/x",
        "python3 script.py --out build/x",
        "make -j4",
        "pytest -q 2>&1 | tail",
        "cp a b",
        "echo hi > out.txt",
        "git add -A && git commit -m 'x y'",
        "python3 -c 'print(1)'",
        "cargo build",
        "rm x",
        "echo x > /tmp/y",
    ],
)
def test_passes_inside(command: str, sandbox: Scope) -> None:
    verdict = judge(command, sandbox)

    assert (verdict.behaviour, verdict.step) == (ALLOW, 3)
    assert behaviour(command, sandbox, mode="default") == ASK
    assert behaviour(command, sandbox, mode="plan") == DENY


@pytest.mark.parametrize(
    "command",
    [
        "curl http://x",
        "npm install",
        "pip install x",
        "git push",
        "git clone x",
        "ssh x",
        "python3 /etc/x.py",
        "cp a /opt/b",
        "cp ~/.ssh/id_rsa x",
        "python3 x.py --key=.env",
        "echo x > /opt/y",
        "echo x > .git/hooks/y",
        "touch $x",
        "touch $(id)",
        "for i in a; do touch $i; done",
        "touch x &",
        "x=1 make",
        "cat /etc/passwd",
        "tee ~/.bashrc",
        "touch x # y",
        "l\u200bs",
    ],
)
def test_asks_for_what_leads_outside(command: str, sandbox: Scope) -> None:
    assert behaviour(command, sandbox) == ASK


@pytest.mark.parametrize("command", ["rm -rf build", "sudo id", "echo > .hooks.json"])
def test_what_is_denied_stays_denied(command: str, sandbox: Scope) -> None:
    assert behaviour(command, sandbox) == DENY


def test_deny_rules_bind_there_too(sandbox: Scope) -> None:
    assert behaviour("npm test", sandbox, denying("Bash(npm:*)")) == DENY
