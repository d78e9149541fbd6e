"""Auto mode with a working sandbox: what stays inside and needs no network passes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from helloclaw.permissions.verdict import Behaviour, Scope
from tests.permissions.judging import behaviour, denying, judge

ALLOW, ASK, DENY = Behaviour


@pytest.fixture
def sandbox(scope: Scope) -> Scope:
    """The test's workspace is in a temporary directory, which a sandbox leaves writable; home has to be elsewhere."""
    for name in (".env", "keys.pem", "node_modules/.bin/prettier"):
        (scope.workdir / name).parent.mkdir(parents=True, exist_ok=True)
        (scope.workdir / name).write_text("secret")
    return msgspec.structs.replace(scope, sandboxed=True, home=Path("/home/somebody"))


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
        "x=1 make",
        "PYTHONPATH=src python3 -m pytest -q",
        "export X=1 && make",
        "for i in a; do touch $i; done",
        'for f in src/*.py; do python3 "$f" > out.txt; done',
        "while ! make; do sleep 1; done",
        "touch x # y",
        "npx prettier --check .",
        "cd src && npx prettier --check .",
        "sed -i '/x/d' a",
        "head -5 /tmp/out.csv > b",
        "diff <(sort a) <(python3 b.py) | head",
        "# all of them\npytest -q",
        "d=build; mkdir -p $d && cp a ${d}/b",
        "cat > x.py <<'E'\nimport os\nprint('/etc/x')\nE",
        "cat > x.py <<'E' && python3 x.py\nprint(1)\nE",
        "python3 - <<'E'\nprint(1)\nE",
        "git commit -m \"$(cat <<'E'\nOne\n\nTwo\nE\n)\"",
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
        "touch x &",
        "cat /etc/passwd",
        "tee ~/.bashrc",
        "touch x &  # y",
        "for f in .env; do cat $f; done",
        "for f in *; do cat $f; done",
        "for f in /etc/passwd; do cat $f; done",
        "for f in $(ls); do cat $f; done",
        "for i in a b; do git push $i; done",
        "cat .env # x",
        "cat keys.pem # x",
        "X=1 cat ~/x",
        "X=1 cat ~root/x",
        "x=.en; cat ${x}v",
        "x=.en; x+=v; cat $x",
        "x=/etc; cat $x/passwd",
        "x=$(cat list); cat $x",
        "while read -r x; do cat $x; done < list",
        "read x <<< .env; cat $x",
        "# x\ncurl http://x",
        "X=1 curl http://x",
        "X=1 npm install",
        "cd ..; X=1 cat y",
        "cd src; X=1 cat ../../y",
        "X=1 grep -r foo .",
        "X=1; grep -r foo .",
        "bash <<E\ncurl http://x\nE",
        "cat <<E\n$(cat .env)\nE",
        "cat > /opt/x <<E\nx\nE",
        "cat > ~/x <<E\nx\nE",
        "cat > .git/hooks/x <<E\nx\nE",
        'git commit -m "$(cat <<E\n$(cat .env)\nE\n)"',
        'git commit -m "$(cat .env)"',
        "diff <(cat .env) b",
        "diff <(curl http://x) b",
        "diff <(cat $x) b",
        "tee >(cat) < a",
        "npx tsc",
        "npx --yes prettier",
        "npx ../x",
        "head -5 /tmp/.env",
        "cat /tmp/krb5cc_1000",
        "cat /tmp/../etc/passwd",
        "echo `ls`",
        "f() { make; }; f",
        "$x make",
        "x=curl; $x http://x",
        "echo 'a # y",
        "l\u200bs",
    ],
)
def test_asks_for_what_leads_outside(command: str, sandbox: Scope) -> None:
    assert behaviour(command, sandbox) == ASK


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf build",
        "sudo id",
        "echo > .hooks.json",
        "# x\nrm -rf build",
        "d=build; rm -rf $d",
        "for d in a build; do rm -r $d; done",
        "X=1 rm -rf build",
        "bash <<E\nrm -rf build\nE",
        "cat > .hooks.json <<E\n{}\nE",
        "for f in .hooks.json; do echo > $f; done",
        "x=1; chmod -R 777 /",
    ],
)
def test_what_is_denied_stays_denied(command: str, sandbox: Scope) -> None:
    assert behaviour(command, sandbox) == DENY


def test_deny_rules_bind_there_too(sandbox: Scope) -> None:
    assert behaviour("npm test", sandbox, denying("Bash(npm:*)")) == DENY
