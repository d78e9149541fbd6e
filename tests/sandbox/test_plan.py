"""The pure side: what is protected, how it is put into arguments, rules and filters."""

from __future__ import annotations

import errno
import os
import platform
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.sandbox.bubblewrap import plan
from helloclaw.sandbox.landlock import ruleset
from helloclaw.sandbox.launch import CannotConfine
from helloclaw.sandbox.placeholders import is_placeholder, placeholders
from helloclaw.sandbox.profile import Profile, cover, entries_of, keepers, profile_for
from helloclaw.sandbox.seccomp import socket_filter


@pytest.fixture
def work(tmp_path: Path) -> Path:
    for name in ("work", "home", "tmp"):
        (tmp_path / name).mkdir()
    return tmp_path / "work"


def profile(work: Path) -> Profile:
    return profile_for(work, work.parent / "tmp", work.parent / "home", work.parent / "home/.helloclaw")


def below(work: Path, paths: tuple[Path, ...]) -> list[str]:
    return [str(path.relative_to(work)) for path in paths]


def test_a_bare_directory_has_everything_missing(work: Path) -> None:
    found = profile(work)
    assert below(work, found.missing) == [".claude", ".hooks.json", ".hooks.disabled", ".env", ".mcp.json", ".git"]
    assert (found.protected, keepers(found)) == ((), ())


def test_a_repository_keeps_what_git_runs(work: Path) -> None:
    (work / ".git/modules").mkdir(parents=True)
    (work / ".git/config").touch()
    (work / ".claude").mkdir()
    (work / ".vscode").mkdir()
    found = profile(work)
    assert below(work, found.protected) == [".claude", ".git/config", ".git/modules", ".vscode"]
    assert below(work, found.missing) == [".hooks.json", ".hooks.disabled", ".env", ".mcp.json", ".git/hooks"]
    assert below(work, keepers(found)) == [".git"]


def test_a_worktree_and_half_a_repository_are_kept_whole(work: Path) -> None:
    (work / ".git").write_text("gitdir: /elsewhere")
    assert below(work, profile(work).protected) == [".git"]
    (work / ".git").unlink()
    (work / ".git").mkdir()
    assert below(work, profile(work).protected) == [".git"]


@pytest.mark.parametrize("name", [".claude", ".hooks.json", ".git", ".git/hooks"])
def test_where_a_control_is_a_symlink_nothing_is_confined(work: Path, name: str) -> None:
    (work / "real/hooks").mkdir(parents=True)
    if name == ".git/hooks":
        (work / ".git").mkdir()
        (work / ".git/config").touch()
    (work / name).symlink_to(work / "real")
    with pytest.raises(CannotConfine, match="is a symlink, which could be exchanged"):
        profile(work)


def test_where_the_directory_holds_the_home_nothing_is_confined(work: Path) -> None:
    for place in (work, work / "home", work.parent):
        with pytest.raises(CannotConfine, match="the working directory holds"):
            profile_for(work, work, place if place != work.parent else work, work / ".helloclaw")
    assert profile_for(work, work, work.parent, work.parent / ".helloclaw").workdir == work


KERNEL = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "driver", "mtrr")


def test_the_arguments_of_bubblewrap(work: Path) -> None:
    git = work / ".git"
    made = Profile(
        workdir=work,
        temporary=Path("/t"),
        protected=(git / "config",),
        missing=(work / ".env",),
        hidden=(work.parent / "home", work.parent / "gone"),
    )
    assert plan("/bin/bwrap", made, work / "sub", filter_fd=7, alive_fd=8, own=Path("/opt/claw")) == (
        *("/bin/bwrap", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/"),
        *("--dev", "/dev", "--proc", "/proc"),
        *(each for name in KERNEL for each in ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")),
        *("--tmpfs", "/run"),
        *("--bind", "/t", "/tmp", "--bind", "/t", "/var/tmp"),
        *("--tmpfs", f"{work.parent}/home", "--ro-bind", "/dev/null", f"{work.parent}/gone"),
        *("--bind", str(work), str(work), "--bind", str(git), str(git)),
        *("--ro-bind", f"{git}/config", f"{git}/config", "--ro-bind", f"{work}/.env", f"{work}/.env"),
        *("--chdir", f"{work}/sub", "--setenv", "TMPDIR", "/tmp", "--seccomp", "7", "--sync-fd", "8", "--"),
    )


TREE = {"/w": ["a", "b", "c"], "/w/b": ["x", "y"], "/w/b/y": ["1"]}


def tree(directory: Path) -> Iterator[Path]:
    return (directory / name for name in TREE.get(str(directory), []))


@pytest.mark.parametrize(
    ("without", "covered"),
    [
        ([], ["/w"]),
        (["/w"], []),
        (["/w/c"], ["/w/a", "/w/b"]),
        (["/w/b/y"], ["/w/a", "/w/b/x", "/w/c"]),
        (["/w/b/y/1", "/w/a"], ["/w/b/x", "/w/c"]),
        (["/w/.env"], ["/w/a", "/w/b", "/w/c"]),
        (["/elsewhere", "/w/bb"], ["/w/a", "/w/b", "/w/c"]),
    ],
)
def test_a_cover_is_everything_but(without: list[str], covered: list[str]) -> None:
    assert list(map(str, cover(Path("/w"), map(Path, without), tree))) == covered


paths = st.lists(st.sampled_from(["a", "b", "b/x", "b/y", "b/y/1", ".env"]), max_size=4)


@given(paths)
def test_a_cover_never_holds_what_is_left_out(names: list[str]) -> None:
    without = [Path("/w") / name for name in names]
    covered = list(cover(Path("/w"), without, tree))
    assert not [(each, path) for each in covered for path in without if each == path or each in path.parents]


def test_landlock_grants_reading_but_of_secrets_and_writing_but_of_controls(work: Path) -> None:
    (work / "src").mkdir()
    (work / ".env").touch()
    secret = work.parent / "home/.ssh"
    secret.mkdir()
    found = ruleset(profile(work), 7, entries_of, b"\x01")
    writable = [path for path, access in found["rules"] if access & 2]
    readable = [path for path, access in found["rules"] if access & 4]
    assert writable == [str(work.parent / "tmp"), str(work / "src"), "/dev/null", "/dev/zero", "/dev/full"]
    assert not [path for path in readable if str(secret) == path or str(secret).startswith(f"{path}/")]
    assert (found["network"], found["scoped"], found["filter"]) == (3, 3, "01")
    assert ruleset(profile(work), 3, entries_of, None)["network"] == 0


def judged(program: bytes, machine: int, number: int, argument: int = 0) -> int:
    """What the kernel would return: a small BPF machine for what such a program uses."""
    data = struct.pack("<IIQQ", number, machine, 0, argument)
    steps = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    at, value = 0, 0
    while True:
        code, if_true, if_false, operand = steps[at]
        match code:
            case 0x20:
                (value,) = struct.unpack_from("<I", data, operand)
            case 0x15:
                at += if_true if value == operand else if_false
            case 0x35:
                at += if_true if value >= operand else if_false
            case _:
                return operand
        at += 1


ALLOWED, KILLED, REFUSED, UNKNOWN = 0x7FFF0000, 0x80000000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS


@pytest.mark.parametrize(("machine", "audit", "socket"), [("x86_64", 0xC000003E, 41), ("aarch64", 0xC00000B7, 198)])
def test_the_filter_refuses_sockets_that_lead_out(machine: str, audit: int, socket: int) -> None:
    program = socket_filter(machine, network=True)
    assert program is not None
    verdicts = [judged(program, audit, socket, domain) for domain in (1, 2, 10, 16, 40)]
    assert verdicts == [REFUSED, ALLOWED, ALLOWED, ALLOWED, REFUSED]
    none = socket_filter(machine, network=False)
    assert none is not None
    assert [judged(none, audit, socket, domain) for domain in (1, 2, 40)] == [REFUSED] * 3
    for each in (program, none):
        assert judged(each, audit, 425) == UNKNOWN
        assert judged(each, audit, 0x40000000 | 41) == UNKNOWN
        assert judged(each, 0x40000003, socket) == KILLED
        assert judged(each, audit, 0) == ALLOWED
    assert socket_filter("vax", network=True) is None


def test_this_machine_is_known() -> None:
    assert socket_filter(platform.machine(), network=True) is not None


def test_placeholders_come_and_go_and_are_shared(tmp_path: Path) -> None:
    first, second = tmp_path / ".env", tmp_path / ".git"
    with placeholders([first, second]):
        assert (is_placeholder(first), is_placeholder(second)) == (True, True)
        with placeholders([first]):
            pass
        assert is_placeholder(first)
        with placeholders([second]):
            pass
    assert os.listdir(tmp_path) == []


def test_what_is_really_there_is_no_placeholder_and_stays(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "directory").mkdir()
    for name in ("file", "directory"):
        with pytest.raises(FileExistsError), placeholders([tmp_path / name]):
            pytest.fail("it is in the way")
    assert sorted(os.listdir(tmp_path)) == ["directory", "file"]
