"""Run many commands one after the other under `strace`, confined, and tell which of them did more than read.

What counts is what was tried, whether or not it was let: a write that fails here may not fail elsewhere.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from helloclaw.permissions.shell.programs import PROGRAMS, VERSIONED

_CHANGING = (
    "creat,mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,chmod,fchmod,"
    "fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,utime,utimes,utimensat,mknod,mknodat,setxattr,mount,"
    "clock_settime,settimeofday,sethostname,kill,connect,bind,sendto,sendmsg,sendmmsg"
)
_MARKER = "/fuzzed-command/"
# One at a time, each told by an attempt to open a file whose name is its number.
_DRIVER = """
import json, os, signal, subprocess, sys
for number, command in enumerate(json.load(open(sys.argv[1]))):
    try:
        os.open(f"/fuzzed-command/{number}", os.O_RDONLY)
    except OSError:
        pass
    child = subprocess.Popen(["bash", "--noprofile", "--norc", "-c", command], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        child.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
try:
    os.open("/fuzzed-command/end", os.O_RDONLY)
except OSError:
    pass
"""
_CALL = re.compile(r"^(?P<pid>\d+) +(?P<call>\w+)\((?P<rest>.*)")
_OPENED = re.compile(r'(?:AT_FDCWD|\d+)?(?:, )?"(?P<path>[^"]*)", (?P<flags>[A-Z_|]+)')
_WRITES = re.compile(r"\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)\b")
# What leads nowhere: the name service's cache, the kernel's routing table, a socket for no port (is there IPv6?).
_NO_NETWORK = re.compile(
    r'sun_path="/var/run/nscd/socket"|AF_NETLINK|NETLINK_ROUTE|AF_INET6, sin6_port=htons\(0\).*"::1"'
)
_PROGRAMS = frozenset(PROGRAMS) | {
    "bash", "git", "find", "sed", "jq", "seq", "test", "[", "timeout", "nice", "stdbuf", "time", "echo", "printf",
    "pwd", "true", "false", "ps", "sleep", "tar", "unzip", "zipinfo", "xxd", "awk", "gawk", "mawk", "xargs", "printenv",
    "getconf", "gzip", "xz", "bzip2",
}  # fmt: skip


class Violation(NamedTuple):
    command: str
    what: str


def available() -> bool:
    return all(shutil.which(program) for program in ("strace", "bwrap", "bash", "git"))


def run_watched(
    commands: Sequence[str], workdir: Path, scratch: Path, environ: Mapping[str, str]
) -> tuple[list[Violation], int]:
    """Run them in `workdir`; what they did that they should not, and how many were run. `scratch` holds the trace."""
    listed, trace, driver = scratch / "commands.json", scratch / "trace", scratch / "driver.py"
    listed.write_text(json.dumps(list(commands)))
    driver.write_text(_DRIVER)
    before = state(workdir.parent)
    subprocess.run(
        ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", str(workdir.parent),
         str(workdir.parent), "--bind", str(scratch), str(scratch), "--unshare-net", "--unshare-ipc",
         "--die-with-parent", "--chdir", str(workdir),
         "strace", "-f", "-qq", "-s", "300", "--seccomp-bpf", "-o", str(trace),
         "-e", f"trace=open,openat,openat2,execve,execveat,{_CHANGING}", sys.executable, str(driver), str(listed)],
        env=dict(environ), stdin=subprocess.DEVNULL, check=True, capture_output=True,
    )  # fmt: skip
    found: list[Violation] = []
    run = 0
    with trace.open(encoding="utf-8", errors="replace") as lines:
        for number, line in _numbered(lines):
            run = max(run, number + 1)
            if (what := _violation(line)) is not None:
                found.append(Violation(commands[number], what))
    if state(workdir.parent) != before:
        found.append(Violation("(one of these)", "the files are not what they were"))
    return list(dict.fromkeys(found)), run


def state(root: Path) -> list[tuple[str, int, int]]:
    """Every file below with its size and when it was changed."""
    return sorted(
        (str(path), path.lstat().st_size, path.lstat().st_mtime_ns) for path in root.rglob("*") if not path.is_dir()
    )


def _numbered(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """The lines of each command with its number; not the driver's own."""
    number, driver = -1, ""
    for line in lines:
        if _MARKER in line:
            name = line.partition(_MARKER)[2].partition('"')[0]
            if not name.isdigit():
                return
            number, driver = int(name), line.split(" ", 1)[0]
        elif number >= 0 and line.split(" ", 1)[0] != driver:
            yield number, line


def _violation(line: str) -> str | None:
    """What a system call did that no command that only reads does."""
    match = _CALL.match(line)
    if match is None:
        return None
    call, rest = match["call"], match["rest"]
    if call.startswith("exec"):
        return _unknown_program(line, rest)
    if call.startswith("open"):
        opened = _OPENED.search(rest)
        if opened is None or not _WRITES.search(opened["flags"]) or opened["path"] in ("/dev/null", "/dev/tty"):
            return None
        return line.strip()
    if call == "kill" and ("SIG_0" in rest or ", 0)" in rest):
        return None
    return None if _NO_NETWORK.search(rest) else line.strip()


def _unknown_program(line: str, rest: str) -> str | None:
    """A program that nothing that is allowed starts; a look in each directory of PATH is not a start."""
    if " = -1 ENOENT" in rest:
        return None
    path, _, arguments = rest.partition(", ")
    name = os.path.basename(path.strip('"'))
    if name in _PROGRAMS:
        return None
    is_version = re.match(r'\["[^"]*", "-{0,2}(?:version|V|v|dumpversion)"\]', arguments) is not None
    return None if name in VERSIONED and is_version else line.strip()
