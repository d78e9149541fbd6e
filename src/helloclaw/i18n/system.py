"""The system's reason for an error, as a phrase where it is a common one, else in the system's own words."""

from __future__ import annotations

import errno

from helloclaw.i18n import Phrase

_KNOWN = frozenset(
    {
        *("EACCES", "EPERM", "ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EIO"),
        *("ENAMETOOLONG", "ELOOP", "EMFILE", "EBADF", "ETXTBSY", "ENOTEMPTY", "EBUSY", "EINVAL"),
    }
)


def reason_of(error: OSError) -> Phrase | str:
    name = errno.errorcode.get(error.errno or 0, "")
    return Phrase(f"system.{name}") if name in _KNOWN else error.strerror or str(error) or type(error).__name__
