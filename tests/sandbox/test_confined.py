"""What a confined command can't do, tried: write elsewhere, touch what steers the agent, reach a network, escape."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests.sandbox.conftest import Cell
from tests.tools.conftest import running, until


def unique_sleep() -> str:
    """A duration that no other process on the machine sleeps for."""
    return f"100.{uuid4().int % 10**12}"


async def test_it_writes_in_the_directory_and_in_its_temporary_one(cell: Cell) -> None:
    cell.file("src/a.txt", "old")
    await cell.works("echo new > src/a.txt && mkdir src/b && mv src/a.txt src/b/c && echo t > $TMPDIR/t")
    assert (cell.workdir / "src/b/c").read_text() == "new\n"
    assert await cell.works("cat $TMPDIR/t") == "t\n"
    if cell.kind == "bubblewrap":
        await cell.works("echo x > top && echo y > /tmp/y && echo z > /var/tmp/z")
        assert (cell.workdir / "top").read_text() == "x\n"


@pytest.mark.parametrize(
    "text",
    [
        "echo x > {out}/x",
        "echo x >> {out}/there",
        ": > {out}/there",
        "truncate -s 0 {out}/there",
        "rm {out}/there",
        "mv {out}/there there",
        "mkdir {out}/d",
        "ln -s /etc/passwd {out}/link",
        "ln {out}/there inside && echo x >> inside",
        "cd {out} && touch y",
        "echo x > $HOME/.bashrc",
        "setsid -w sh -c 'echo x > {out}/x'",
        "(sh -c 'echo x > {out}/x' &) ; wait; sleep 0.1; test -e {out}/x",
        "exec 9<{out}; echo x > /proc/self/fd/9/x",
        "cd {out}; cd - ; echo x > ~-/x",
    ],
)
async def test_nothing_outside_is_written(cell: Cell, text: str) -> None:
    there = cell.outside / "there"
    there.write_text("kept")
    cell.give(there)
    await cell.fails(text.format(out=cell.outside))
    assert (os.listdir(cell.outside), there.read_text(), os.listdir(cell.home)) == (["there"], "kept", [])


CONTROLS = [
    ".claude/permissions.json",
    ".hooks.json",
    ".hooks.disabled",
    ".env",
    ".git/hooks/pre-commit",
    ".git/config",
]


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize(
    "text",
    [
        "echo x > {c}",
        "echo x >> {c}",
        "rm -f {c}; echo x > {c}",
        "mv {c} {c}2",
        "mv {top} elsewhere; mkdir -p $(dirname {c}); echo x > {c}",
        "mkdir -p src/n && mv -T src/n {top}",
        "echo x > src/x; mv -f src/x {c}",
        "echo x > src/x; ln -f src/x {c}",
        "ln {c} src/hard && echo x > src/hard",
        "umount {top} 2>&1; echo x > {c}",
        "unshare -Urm sh -c 'mkdir $TMPDIR/m; mount --bind . $TMPDIR/m && echo x > $TMPDIR/m/{c}'",
        "unshare -Urm sh -c 'mkdir $TMPDIR/m; mount --rbind . $TMPDIR/m && echo x > $TMPDIR/m/{c}'",
        "unshare -Urm sh -c 'umount -l {c}; mount --move {top} $TMPDIR; echo x > {c}'",
        "unshare -Urm sh -c 'mount -o remount,rw,bind {top}; umount {top}; umount {c}; echo x > {c}'",
    ],
)
async def test_what_steers_the_agent_can_not_be_written(cell: Cell, control: str, text: str) -> None:
    cell.file("src/a")
    cell.file(".git/config", "[core]\n")
    cell.file(".git/hooks/pre-commit", "kept")
    kept = cell.file(control, "kept")
    await cell.fails(text.format(c=control, top=control.partition("/")[0]))
    assert kept.read_text() == "kept"


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize(
    "text",
    [
        "mkdir -p $(dirname {c}); echo x > {c}",
        "mkdir -p src/d; rmdir {top}; mv -T src/d {top}",
        "rm -rf {top}; ln -s /etc {top}",
        "rmdir {top}; rm -rf {top}; mkdir {top} && echo x > {c}",
        "chmod 777 {top}; echo x > {c}; touch {top}/x",
    ],
)
async def test_what_steers_the_agent_can_not_come_to_be(cell: Cell, control: str, text: str) -> None:
    cell.file("src/a")
    before = sorted(os.listdir(cell.workdir))
    await cell.fails(text.format(c=control, top=control.partition("/")[0]))
    assert sorted(os.listdir(cell.workdir)) == before


async def test_a_repository_works_but_for_its_hooks_and_settings(cell: Cell) -> None:
    if cell.kind != "bubblewrap":
        pytest.skip("Landlock can't allow the index's lock in a directory that holds something protected")
    for name, text in {"config": "[core]\n", "HEAD": "ref: refs/heads/main\n", "refs/x": "", "objects/x": ""}.items():
        cell.file(f".git/{name}", text)
    cell.file("a.txt", "a")
    identity = "-c user.name=a -c user.email=a@b"
    assert "a.txt" in await cell.works(f"git add . && git {identity} commit -qm first && git show --stat")
    assert "could not write config file" in await cell.fails("git config core.fsmonitor ./evil")
    await cell.fails("mkdir -p .git/hooks; echo x > .git/hooks/pre-commit")
    assert not (cell.workdir / ".git/hooks").exists()


async def test_nobody_is_reached(cell: Cell, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    assert "connected" not in await cell.fails(f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected")
    listener.settimeout(0.1)
    with pytest.raises(TimeoutError):
        listener.accept()
    if cell.user is None:
        path = str(cell.workdir / "s")
        with socket.socket(socket.AF_UNIX) as service:
            service.bind(path)
            service.listen()
            code = f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({path!r})"
            python = os.path.realpath(sys.executable)  # a virtual environment below /tmp is not there within
            assert "PermissionError" in await cell.fails(f'{python} -c "{code}"')
            udp = "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))"
            unreachable = await cell.start(f'{python} -c "{udp}"')
            assert cell.kind == "bubblewrap" or "PermissionError" in unreachable[1]


async def test_keys_and_passwords_are_not_read(cell: Cell) -> None:
    for name in (".ssh/id_rsa", ".netrc", ".helloclaw/config.json"):
        secret = cell.home / name
        secret.parent.mkdir(exist_ok=True)
        secret.write_text("secret-value")
        cell.give(secret)
        cell.give(secret.parent)
    (cell.home / "notes").write_text("notes")
    said = await cell.start("cat ~/.ssh/id_rsa ~/.netrc ~/.helloclaw/config.json; cp -r ~/.ssh src; cat ~/notes")
    assert "secret-value" not in said[1]
    assert said[1].endswith("notes")


async def test_whoever_leaves_its_session_is_confined_and_ends_too(cell: Cell) -> None:
    if cell.kind != "bubblewrap":
        pytest.skip("Landlock has no process namespace; the tree is ended by its marks")
    sleep = unique_sleep()
    began = asyncio.get_running_loop().time()
    await cell.works(f"setsid -f sleep {sleep} >/dev/null 2>&1; (setsid -f sh -c 'sleep {sleep}' >/dev/null 2>&1 &)")
    assert running(sleep) == []
    task = asyncio.create_task(cell.start(f"(setsid -f sleep {sleep}); exec sleep {sleep}"))
    await until(lambda: len(running(sleep)) >= 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert running(sleep) == []
    assert asyncio.get_running_loop().time() - began < 20


async def test_other_processes_are_out_of_reach(cell: Cell) -> None:
    code, said = await cell.start(f"kill -0 {os.getpid()}")
    assert (code, "kill" in said) == (1, True)


async def test_the_kernel_is_not_set_up_anew(cell: Cell) -> None:
    """What root may write without any privilege: `core_pattern` names a program that the kernel starts outside."""
    for name in ("kernel/core_pattern", "kernel/modprobe", "vm/swappiness"):
        place = f"/proc/sys/{name}"
        await cell.fails(f'value=$(cat {place}) && printf %s "$value" > {place}')
    await cell.fails("ls /proc/irq/*/smp_affinity && for each in /proc/irq/*/smp_affinity; do : >> $each && exit; done")


async def test_no_privilege_is_left(cell: Cell) -> None:
    said = await cell.works("grep -E '^(Cap|NoNewPrivs)' /proc/self/status; sh -c 'grep CapEff /proc/self/status'")
    assert {line.split()[1] for line in said.splitlines()} == {"0000000000000000", "1"}
    await cell.fails("hostname $(hostname)")
    await cell.fails("chroot / true")


async def test_the_agents_variables_and_terminal_are_out_of_reach(cell: Cell) -> None:
    await cell.fails(f"cat /proc/{os.getpid()}/environ")
    await cell.fails(f"ls /proc/{os.getpid()}/root/")
    ours, terminal = os.openpty()
    try:
        name = os.ttyname(terminal)
        if cell.user is not None:
            os.fchown(terminal, cell.user, cell.user)
        # Whoever can open it reads what a person types, and may be able to type himself.
        for each in (f": < {name}", f": > {name}", f"exec 3<> {name}"):
            await cell.fails(each)
    finally:
        os.close(ours)
        os.close(terminal)


async def test_two_at_once_and_one_after_a_crash(cell: Cell) -> None:
    if cell.kind != "bubblewrap":
        pytest.skip("only mounts need something to lie upon")
    before = sorted(os.listdir(cell.workdir))
    (cell.workdir / ".hooks.json").mkdir(mode=0o555)  # as a crash leaves it
    (cell.workdir / ".hooks.json").chmod(0o555)
    slow = asyncio.create_task(
        cell.start("until [ -e go ]; do sleep 0.05; done; rm go; echo x > .hooks.json; echo x > .env; ls -A")
    )
    await until((cell.workdir / ".env").exists)
    for _ in range(5):
        await cell.works("true")
    assert is_empty_directory(cell.workdir / ".hooks.json")
    cell.file("go", "")
    code, said = await slow
    assert (code, said.count("Is a directory") + said.count("Read-only"), ".hooks.json" in said) == (0, 2, True)
    assert sorted(os.listdir(cell.workdir)) == before


def is_empty_directory(path: Path) -> bool:
    return path.is_dir() and not os.listdir(path)
