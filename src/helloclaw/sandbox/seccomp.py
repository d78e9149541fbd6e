"""A filter for system calls, as the kernel's BPF: no sockets to programs outside of the sandbox. Pure.

A network namespace leaves sockets with a path in the file system open (Docker's, D-Bus, tmux, agents that hold keys),
and those of a virtual machine's host; Landlock leaves UDP open. `io_uring` makes sockets without the call for it.
"""

from __future__ import annotations

import errno
import struct

from msgspec import Struct

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # BPF_LD|W|ABS, JMP|JEQ|K, JMP|JGE|K, RET|K
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data, on little-endian machines
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_X32 = 0x40000000
_AF_UNIX, _AF_VSOCK = 1, 40


class _Machine(Struct, frozen=True):
    audit: int
    socket: int
    io_uring_setup: int


# AUDIT_ARCH_*, and the numbers in the kernel's system call tables.
_MACHINES = {"x86_64": _Machine(0xC000003E, 41, 425), "aarch64": _Machine(0xC00000B7, 198, 425)}


def socket_filter(machine: str, *, network: bool) -> bytes | None:
    """The program for `machine` (as `uname -m` names it); None where its numbers aren't known.

    With `network` (of a namespace of its own) only sockets that leave it are refused, else all. Pairs are no matter.
    """
    numbers = _MACHINES.get(machine)
    if numbers is None:
        return None
    refused = _ERRNO | errno.EPERM
    sockets = (
        (
            _step(_LOAD, _FIRST_ARGUMENT),
            _step(_EQUAL, _AF_UNIX, 1, 0),
            _step(_EQUAL, _AF_VSOCK, 0, 1),
            _step(_RETURN, refused),
            _step(_RETURN, _ALLOW),
        )
        if network
        else (_step(_RETURN, refused),)
    )
    steps = (
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, numbers.audit, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, _X32, 1, 0),
        _step(_EQUAL, numbers.io_uring_setup, 0, 1),
        _step(_RETURN, _ERRNO | errno.ENOSYS),
        _step(_EQUAL, numbers.socket, 1, 0),
        _step(_RETURN, _ALLOW),
        *sockets,
    )
    return b"".join(steps)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One `struct sock_filter`; jumps count the steps to leave out."""
    return struct.pack("<HBBI", code, if_true, if_false, value)
