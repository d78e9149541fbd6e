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


class _Found(Struct, frozen=True):
    """A path on the way, ending in `/`. `enters`: it may be a directory."""

    path: str
    plain: bool = True
    enters: bool = True


def expand(pattern: str, cwd: str, files: Files) -> Matched | None:
    """What exists and matches `pattern` in `cwd`; None if that takes more than one look may cost."""
    left = LOOK_LIMIT
    found = [_Found("/" if pattern.startswith("/") else "")]
    for component in filter(None, pattern.split("/")):
        following: list[_Found] = []
        matches = _compile(component) if _ACTIVE.search(component) else None
        for base in found:
            if matches is None:
                following += _named(base, component.replace("\\", ""), cwd, files)
                continue
            entries = files.entries(_at(cwd, base.path), left)
            left -= len(entries)
            if left <= 0:
                return None
            following += [
                _Found(f"{base.path}{each.name}/", base.plain and not each.is_link, each.is_directory or each.is_link)
                for each in entries
                if matches(each.name)
            ]
        if _matches_parent(component):
            following += [_Found(f"{base.path}{name}/", plain=False) for base in found for name in (".", "..")]
        found = following
    ending = "/" if pattern.endswith("/") else ""
    kept = [each for each in found if each.enters or not ending]
    return Matched(
        names=tuple(each.path[:-1] + ending for each in kept),
        plain=frozenset(each.path[:-1] + ending for each in kept if each.plain),
    )


def _named(base: _Found, name: str, cwd: str, files: Files) -> list[_Found]:
    """The entry of that name, if there is one."""
    path = _at(cwd, base.path + name)
    return [_Found(f"{base.path}{name}/", base.plain and not files.is_link(path))] if files.exists(path) else []


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
