"""File name patterns, matched as bash does without `dotglob`, `extglob` and `globstar`. Pure but for `Files`.

A bracket expression counts as any one character: so a few more names are looked at than bash would pass on, never
fewer.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from helloclaw.permissions.files import Files

# Directory entries that one pattern may cost.
LOOK_LIMIT = 800


class Matched(Struct, frozen=True, kw_only=True):
    """Paths in no particular order. `plain` are those on whose way no symbolic link was seen."""

    names: tuple[str, ...]
    plain: frozenset[str] = frozenset()


_ACTIVE = re.compile(r"(?<!\\)(?:\\\\)*[*?\[]")
_TOKEN = re.compile(r"\\(.)|(\*+)|(\?|\[[!^]?\]?[^\]]*\])|(.)", re.DOTALL)


def expand(pattern: str, cwd: str, files: Files) -> Matched | None:
    """What exists and matches `pattern` in `cwd`; None if that takes more than one look may cost."""
    left = LOOK_LIMIT
    found: list[tuple[str, bool]] = [("/" if pattern.startswith("/") else "", True)]
    for component in filter(None, pattern.split("/")):
        following: list[tuple[str, bool]] = []
        if _ACTIVE.search(component):
            matches = _compile(component)
            for base, plain in found:
                entries = files.entries(_at(cwd, base), left)
                left -= len(entries)
                if left <= 0:
                    return None
                following += [
                    (f"{base}{each.name}/", plain and not each.is_link) for each in entries if matches(each.name)
                ]
        else:
            name = component.replace("\\", "")
            for base, plain in found:
                path = _at(cwd, base + name)
                if files.exists(path):
                    following.append((f"{base}{name}/", plain and not files.is_link(path)))
        if _matches_parent(component):
            following += [(f"{base}{name}/", False) for base, _ in found for name in (".", "..")]
        found = following
    ending = "/" if pattern.endswith("/") else ""
    return Matched(
        names=tuple(path[:-1] + ending for path, _ in found),
        plain=frozenset(path[:-1] + ending for path, plain in found if plain),
    )


def _matches_parent(component: str) -> bool:
    """Whether a pattern such as `.*` takes in `..`, as bash before 5.2 does."""
    return bool(_ACTIVE.search(component)) and _compile(component)("..")


def _at(cwd: str, path: str) -> str:
    return path if path.startswith("/") else f"{cwd}/{path}"


def _compile(component: str) -> Callable[[str], bool]:
    """A test of one name. A leading dot has to be written out."""

    def token(match: re.Match[str]) -> str:
        escaped, star, one, literal = match.groups()
        return ".*" if star else "." if one else re.escape(escaped or literal)

    hidden = component.startswith((".", "\\."))
    regex = re.compile(_TOKEN.sub(token, component), re.DOTALL)
    return lambda name: (hidden or not name.startswith(".")) and regex.fullmatch(name) is not None
