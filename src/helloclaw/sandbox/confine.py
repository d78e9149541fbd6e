"""A program of its own, for `python -I -S`: confine this process with Landlock, then become the command.

    confine.py FD PROGRAM ARGUMENT…      FD is an open file with the rules that `landlock.ruleset` made, as JSON

It imports nothing of the package, so that it starts in a few milliseconds. Whatever fails, the command does not run.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing itself takes longer to import than the rest
    from typing import Any

# The same numbers on every architecture since 5.x; asm-generic/unistd.h, linux/prctl.h, linux/seccomp.h.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_NO_NEW_PRIVS, _SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_READ_BOUND, _DROP_BOUND = 23, 24
_CAPABILITIES_V3, _MOST_CAPABILITIES = 0x20080522, 64
_STEP_BYTES = 8

_libc = ctypes.CDLL(None, use_errno=True)


class _Rights(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("parent", ctypes.c_int32)]


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def abi() -> int:
    """The version of Landlock that the kernel has and lets us use; 0 for none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION)))


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _restrict(spec: dict[str, Any]) -> None:
    rights = _Rights(spec["files"], spec["network"], spec["scoped"])
    # An older kernel refuses a structure with more than it knows, unless that is zero.
    made = _libc.syscall(CREATE_RULESET, ctypes.byref(rights), ctypes.c_size_t(ctypes.sizeof(rights)), 0)
    ruleset = _checked(made, "landlock_create_ruleset")
    for path, access in spec["rules"]:
        _allow(ruleset, path, access, spec["for_files"])
    _checked(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    _checked(_libc.syscall(RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def _allow(ruleset: int, path: str, access: int, for_files: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return  # it has gone meanwhile: nothing to allow
    if not os.path.isdir(f"/proc/self/fd/{handle}"):
        access &= for_files
    beneath = _Beneath(access, handle)
    if access:
        added = _libc.syscall(ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(beneath), 0)
        _checked(added, f"landlock_add_rule {path}")
    os.close(handle)


def _unprivileged() -> None:
    """Give up every privilege. Landlock binds root to paths, but not in what he may do to the kernel or to a terminal.

    Root would get them back with the next program, unless they are out of the bounding set.
    """
    for number in range(_MOST_CAPABILITIES):
        if _libc.prctl(_READ_BOUND, number, 0, 0, 0) == 1:
            dropped = _libc.prctl(_DROP_BOUND, number, 0, 0, 0)
            if os.getuid() == 0 or os.geteuid() == 0:
                _checked(dropped, "dropping a capability")
    header, none = _Header(_CAPABILITIES_V3, 0), (ctypes.c_uint32 * 6)()
    _checked(_libc.capset(ctypes.byref(header), ctypes.byref(none)), "capset")


def _filter(steps: bytes) -> None:
    buffer = ctypes.create_string_buffer(steps, len(steps))
    program = _Program(len(steps) // _STEP_BYTES, ctypes.cast(buffer, ctypes.c_void_p))
    _checked(_libc.prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0), "seccomp")


def main(arguments: list[str]) -> None:
    try:
        with open(int(arguments[0]), "rb") as stream:
            spec = json.load(stream)
        _restrict(spec)
        _unprivileged()
        _filter(bytes.fromhex(spec["filter"]))
        os.execv(arguments[1], arguments[1:])  # noqa: S606 - no shell is wanted: the arguments are already one's
    except (OSError, TypeError, KeyError, ValueError) as error:
        sys.stderr.write(f"the command was not run, it can't be confined: {error}\n")
        raise SystemExit(126) from None


if __name__ == "__main__":
    main(sys.argv[1:])
