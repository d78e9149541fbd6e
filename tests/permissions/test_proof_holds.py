"""What passes unasked is run for real, under `strace`: it changes no file and opens no socket to anywhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from operator import attrgetter
from pathlib import Path

import pytest

from helloclaw.permissions.verdict import Behaviour
from helloclaw.tools.environment import rebuild
from tests.permissions.judging import Case, behaviour, load_cases, make_scope

pytestmark = [
    pytest.mark.slow,
    # Only the kernel sees all that a command does; without strace nothing could be proven here.
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed"),
]

_ALLOWED = [case for case in load_cases(Path(__file__).with_name("commands.jsonl")) if case.verdict == Behaviour.ALLOW]
_CHANGING = (
    "creat,mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,chmod,fchmod,"
    "fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,utime,utimes,utimensat,mknod,mknodat,setxattr,mount,"
    "clock_settime,settimeofday,sethostname,kill,connect,bind,sendto"
)
_OPENED = re.compile(r'open(?:at)?\((?:AT_FDCWD, |\d+, )?"(?P<path>[^"]*)", (?P<flags>[A-Z_|]+)')
# What changes nothing: attempts that failed, output thrown away, and sockets that lead nowhere (the name service cache,
# the kernel's routing table, one bound to no port to see if there is IPv6). What strace was cut off from ended.
_HARMLESS = re.compile(
    r"""\ =\ -1\ E | \ resumed> | "/dev/(?:null|tty)" | sun_path="/var/run/nscd/socket" | AF_NETLINK
    | AF_INET6,\ sin6_port=htons\(0\).*"::1" | ^\d+\ +(?:kill\(\d+,\ SIG_0|\+\+\+|---|\?\?\?\(\ <detached)""",
    re.VERBOSE,
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a history, so that commands have something to read."""
    scope = make_scope(tmp_path_factory.mktemp("proof"))
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"], ["tag", "v1"]):
        subprocess.run([*git, *arguments], cwd=scope.workdir, check=True, capture_output=True)
    (scope.workdir / "src" / "a.py").write_text("import sys\n")
    return scope.workdir.parent


@pytest.mark.parametrize("case", _ALLOWED, ids=attrgetter("id"))
def test_it_only_reads(case: Case, workspace: Path, tmp_path: Path) -> None:
    scope = make_scope(workspace)
    assert behaviour(case.cmd, scope) == Behaviour.ALLOW
    before = _state(workspace)

    trace = tmp_path / "trace"
    subprocess.run(
        ["strace", "-f", "-qq", "-s", "200", "-e", f"trace=open,openat,{_CHANGING}", "-o", str(trace),
         "bash", "--noprofile", "--norc", "-c", case.cmd],
        cwd=scope.workdir,
        env=rebuild(os.environ) | {"HOME": str(scope.home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )  # fmt: skip

    assert [line for line in trace.read_text(errors="replace").splitlines() if _changes(line)] == []
    assert _state(workspace) == before


def _changes(line: str) -> bool:
    if _HARMLESS.search(line):
        return False
    opened = _OPENED.search(line)
    if opened is None:
        return True
    return any(flag in opened["flags"] for flag in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"))


def _state(root: Path) -> list[tuple[str, int, int]]:
    return sorted(
        (str(path), path.lstat().st_size, path.lstat().st_mtime_ns) for path in root.rglob("*") if not path.is_dir()
    )
