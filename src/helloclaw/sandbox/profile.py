"""What a confined command may do with files: which places it may write, which it may not even read.

It looks at the directory, and nothing else: how the rest of the system is kept out is for each kind of sandbox.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from helloclaw.permissions.paths import is_within
from helloclaw.sandbox.launch import CannotConfine
from helloclaw.sandbox.placeholders import is_placeholder

CONTROLS = (".claude", ".hooks.json", ".hooks.disabled", ".env", ".mcp.json")
"""In a working directory: what steers the agent. No confined command may write it, nor make it where it is missing."""

# What editors, direnv and Git's helpers run by themselves; protected where it is, since people make these by hand.
_RUN_BY_OTHERS = (
    ".husky", ".githooks", ".vscode", ".idea", ".devcontainer", ".envrc", ".pre-commit-config.yaml", ".gitmodules",
)  # fmt: skip
_GIT = ("hooks", "config")
_GIT_IF_THERE = ("config.worktree", "modules", "worktrees")
# Keys and passwords, below the person's home; and what root could read.
_SECRETS = (
    ".ssh", ".aws", ".gnupg", ".kube", ".azure", ".docker", ".password-store", ".config/gcloud", ".config/gh",
    ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".git-credentials", ".vault-token",
    ".bash_history", ".zsh_history", ".python_history",
)  # fmt: skip
_SYSTEM_SECRETS = ("/etc/shadow", "/etc/gshadow")
_PRODUCT_SECRETS = ("config.json", ".env", "history", "logs")


class Profile(Struct, frozen=True, kw_only=True):
    """All paths are absolute and resolved. `temporary` is a directory of the session's own, writable like `workdir`.

    `protected` lie below `workdir` and can't be written; those that are `missing` must not come to be. `hidden` exist,
    and can't be read.
    """

    workdir: Path
    temporary: Path
    protected: tuple[Path, ...] = ()
    missing: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()


def profile_for(workdir: Path, temporary: Path, home: Path, product_home: Path) -> Profile:
    """The profile as the directory is now; to be made anew for each command. Raises `CannotConfine`."""
    workdir = Path(os.path.realpath(workdir))
    wanted = controls(workdir, home, product_home)
    protected = tuple(path for path in wanted if os.path.lexists(path) and not is_placeholder(path))
    return Profile(
        workdir=workdir,
        temporary=Path(os.path.realpath(temporary)),
        protected=protected,
        missing=tuple(path for path in wanted if path not in protected),
        hidden=_hidden(workdir, Path(os.path.realpath(home)), Path(os.path.realpath(product_home))),
    )


def controls(workdir: Path, home: Path, product_home: Path) -> tuple[Path, ...]:
    """What must not be written in the resolved `workdir`, whether it is there or not. Raises `CannotConfine`."""
    for place in (home, product_home):
        if is_within(os.path.realpath(place), str(workdir)):
            raise CannotConfine(f"the working directory holds {place}")
    others = tuple(workdir / name for name in _RUN_BY_OTHERS if os.path.lexists(workdir / name))
    wanted = tuple(workdir / name for name in CONTROLS) + _git_paths(workdir) + others
    for each in {path: None for control in wanted for path in (control, *_between(control, workdir))}:
        if os.path.islink(each):
            # A mount protects where a link leads, not the link.
            raise CannotConfine(f"{each} is a symlink, which could be exchanged")
    return wanted


def keepers(profile: Profile) -> tuple[Path, ...]:
    """The directories between `workdir` and what is protected in it, outermost first.

    A directory can be renamed with mounts in it, and another one put in its place, unless it is a mount itself.
    """
    found = {parent for path in (*profile.protected, *profile.missing) for parent in _between(path, profile.workdir)}
    return tuple(sorted(found))


def cover(root: Path, without: Iterable[Path], entries: Callable[[Path], Iterator[Path]]) -> Iterator[Path]:
    """The fewest paths at and below `root` that hold everything there is but `without`."""
    left_out = tuple(path for path in without if is_within(str(path), str(root)))
    if root in left_out:
        return
    if not left_out:
        yield root
        return
    for entry in entries(root):
        yield from cover(entry, left_out, entries)


def entries_of(directory: Path) -> Iterator[Path]:
    """What is in a directory now, links left out; nothing where it can't be listed."""
    try:
        with os.scandir(directory) as found:
            names = sorted(entry.name for entry in found if not entry.is_symlink())
    except OSError:
        return
    yield from (directory / name for name in names)


def _git_paths(workdir: Path) -> tuple[Path, ...]:
    """Of a repository, what Git runs by itself or takes programs from; the whole of what is no ordinary one."""
    git = workdir / ".git"
    if not git.is_dir() or not (git / "config").is_file():
        return (git,)
    there = tuple(git / name for name in _GIT_IF_THERE if os.path.lexists(git / name))
    return tuple(git / name for name in _GIT) + there


def _between(path: Path, workdir: Path) -> Iterator[Path]:
    return (parent for parent in path.parents if parent != workdir and workdir in parent.parents)


def _hidden(workdir: Path, home: Path, product_home: Path) -> tuple[Path, ...]:
    places = (
        *(home / name for name in _SECRETS),
        *(product_home / name for name in _PRODUCT_SECRETS),
        *map(Path, _SYSTEM_SECRETS),
    )
    real = {Path(os.path.realpath(place)) for place in places if os.path.exists(place)}
    return tuple(sorted(each for each in real if not is_within(str(workdir), str(each))))
