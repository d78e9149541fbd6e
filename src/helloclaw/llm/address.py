"""An address as it may be shown. Who it is called as, and with what password, is nobody's to read."""

from __future__ import annotations

import re

# A slash in a password ends what a parser takes for the host; a port that is no number gives that away.
_USERINFO = re.compile(r"((?:[a-z][a-z0-9+.-]*:)?//)?(?:[^/?#]*@|[^/?#\[]*:(?!\d*(?:[/?#]|$))[^?#]*@)", re.IGNORECASE)


def shown_address(url: str) -> str:
    """`url` without the name and password before its host, also where it is no good address."""
    found = _USERINFO.match(url)
    return url if found is None else (found[1] or "") + url[found.end() :]


def shown_setting(value: str) -> str:
    """A setting's text, which is an address only if it looks like one."""
    return shown_address(value) if "://" in value else value
