"""Empty directories where a confined command must not make anything: a mount needs something to lie upon.

Several commands, also of several programs, may need the same one; the last of them removes it. Kernel locks tell who is
still there, so that a crash leaves nothing that the next command would not tidy up.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Iterable
from pathlib import Path

# Nobody makes a directory like this by hand; that is how one that a crash left behind is known.
_MODE = 0o555
_TRIES = 20


def is_placeholder(path: Path) -> bool:
    """Whether something is there only to be mounted upon."""
    try:
        return not path.is_symlink() and path.is_dir() and path.stat().st_mode & 0o777 == _MODE and not os.listdir(path)
    except OSError:
        return False


@contextlib.contextmanager
def placeholders(paths: Iterable[Path]) -> Generator[None]:
    """Have an empty directory at each path until the end. Raises `OSError`; something else is in the way."""
    with contextlib.ExitStack() as held:
        for path in paths:
            held.callback(_let_go, path, _take(path))
        yield


def _take(path: Path) -> int:
    import fcntl

    for _ in range(_TRIES):
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, _MODE)
            os.chmod(path, _MODE)  # whatever the umask says
        if not is_placeholder(path):
            if os.path.lexists(path):
                raise FileExistsError(17, "it has come to be meanwhile", str(path))
            continue
        try:
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        fcntl.flock(handle, fcntl.LOCK_SH)
        if _is_at(handle, path):
            return handle
        os.close(handle)  # another one has removed it before it was locked
    raise FileNotFoundError(2, "it is removed again and again", str(path))


def _let_go(path: Path, handle: int) -> None:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(handle, path):
            os.rmdir(path)
    except OSError:
        pass  # somebody else needs it, or there is something in it
    finally:
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    try:
        there, held = os.lstat(path), os.fstat(handle)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)
