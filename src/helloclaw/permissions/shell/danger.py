"""What is denied, whoever asks: one command, its wrappers taken off, its words as far as they are known. Pure.

Programs are told by name, and names are compared without case, as some file systems do.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.agents import loosens_agent
from helloclaw.permissions.tables import names

_OTHER_USER = names("sudo sudoedit doas su pkexec run0 runuser dzdo please gosu su-exec sg")
_MAKES_FILESYSTEM = frozenset({"mke2fs", "mkswap", "mkdosfs", "mkntfs", "wipefs", "blkdiscard"})
_STOPS_SYSTEM = frozenset({"shutdown", "reboot", "halt", "poweroff"})
_STOPPING_WORDS = names(
    "poweroff reboot halt kexec soft-reboot hibernate suspend hybrid-sleep emergency rescue exit poweroff.target "
    "reboot.target halt.target kexec.target"
)
_TREE_CHANGERS = frozenset({"chmod", "chown", "chgrp", "setfacl", "chattr", "chcon"})
_TOP_LEVEL = re.compile(r"/(?:\*|\.\*|(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|sbin|srv|sys|usr|var)(?:/\*?)?)?")

_PATTERN = re.compile(r"[*?\[]")
# In `/dev`, all that is written without harm. The rest counts as a device.
_HARMLESS_DEVICE = re.compile(r"/dev/(?:null|zero|full|tty|stdin|stdout|stderr|fd/\d+|pts/\d+|ptmx|random|urandom)")
_DEVICE = re.compile(
    r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|dm-|md|mapper/|nbd|sr|ram|zram|mem|kmem|port|mtd|nst|st\d|block/"
    r"|bcache|drbd|rbd|pmem|dasd|fd\d|ubi|vg)|/proc/(?:sysrq-trigger|sys/)|/sys/"
)
_DEVICE_WRITERS = names(
    "tee mv shred badblocks hdparm sgdisk gdisk sfdisk cfdisk parted truncate sponge ddrescue dc3dd dcfldd pv "
    "cryptsetup mdadm nvme diskutil partprobe lvremove vgremove pvremove mkpart rm"
)
_MAC_DISK_WORDS = frozenset({"erasedisk", "erasevolume", "zerodisk", "randomdisk", "secureerase", "partitiondisk"})

DENIED_NAMES = (
    *sorted(_OTHER_USER | _MAKES_FILESYSTEM | _STOPS_SYSTEM),
    "rm", "dd", "mkfs", "mkfs.ext4", "init", "telinit", "chmod", "systemctl",
)  # fmt: skip


@lru_cache(maxsize=1024)
def program_name(word: str) -> str:
    """The name that a command word calls a program by. A pattern counts as the denied program that it matches."""
    name = word.rstrip("/").rpartition("/")[2].casefold()
    if _PATTERN.search(name):
        return next((denied for denied in DENIED_NAMES if fnmatchcase(denied, name)), name)
    return name


def danger(words: Sequence[str]) -> Why | None:
    """Why the command must never run; None if that is not known of it."""
    name, arguments = program_name(words[0]), words[1:]
    if name in _OTHER_USER:
        return Why("raises_privileges", name)
    if name in _MAKES_FILESYSTEM or name.startswith(("mkfs", "newfs")):
        return Why("makes_filesystem", name)
    if name == "diskutil" and any(each.casefold() in _MAC_DISK_WORDS for each in arguments):
        return Why("makes_filesystem", name)
    if not _is_relative(words[0]) and _stops_system(name, arguments):
        return Why("stops_system", name)
    if name in ("rm", "grm") and removes_trees(arguments):
        return Why("removes_trees", "rm -r")
    if name == "dd":
        written = [each[3:] for each in arguments if each.startswith("of=")]
        if device := next((each for each in written if is_device_path(each)), None):
            return Why("writes_device", device)
    targets = arguments if name in _DEVICE_WRITERS else arguments[-1:] if name in ("cp", "install") else ()
    if device := next(filter(is_device, targets), None):
        return Why("writes_device", device)
    if name in _TREE_CHANGERS and (place := _top_level(arguments)):
        return Why("opens_root", place)
    return loosens_agent(name, arguments)


def _is_relative(word: str) -> bool:
    """Whether it is somebody's own program of that name (`./init`), and not the system's."""
    return "/" in word and not word.startswith("/")


def removes_trees(arguments: Sequence[str]) -> bool:
    """Whether `rm` gets `-r` in any form; GNU takes every unambiguous beginning of `--recursive`."""
    for argument in arguments:
        if argument == "--":
            return False
        if argument.startswith("--"):
            if len(argument) > 2 and "--recursive".startswith(argument):
                return True
        elif argument.startswith("-") and "r" in argument.casefold():
            return True
    return False


def _stops_system(name: str, arguments: Sequence[str]) -> bool:
    if name in _STOPS_SYSTEM:
        return True
    if name in ("init", "telinit"):
        return any(each in ("0", "6") for each in arguments)
    return name in ("systemctl", "loginctl") and any(each in _STOPPING_WORDS for each in arguments)


def _top_level(arguments: Sequence[str]) -> str | None:
    """The system directory that a recursive change starts at."""
    recursive = any(
        "--recursive".startswith(each) if each.startswith("--r") else each.startswith("-") and "R" in each
        for each in arguments
    )
    if not recursive:
        return None
    places = (each for each in arguments if each.startswith("/"))
    return next((each for each in places if _TOP_LEVEL.fullmatch(os.path.normpath(each).replace("//", "/"))), None)


def is_device(path: str) -> bool:
    """Whether writing there goes to a disk, to memory, or to the kernel's own switches."""
    return bool(_DEVICE.match(_tidy(path)))


def is_device_path(path: str) -> bool:
    """Whether the path is in `/dev` at all, and not one of the harmless ones."""
    tidy = _tidy(path)
    return is_device(tidy) or (tidy.startswith("/dev/") and not _HARMLESS_DEVICE.fullmatch(tidy))


def _tidy(path: str) -> str:
    return os.path.normpath(path).replace("//", "/")
