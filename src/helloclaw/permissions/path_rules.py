"""Rules about paths: gitignore's patterns, anchored as Claude Code does. Pure but for `Files`.

`x/**` is within the working directory, `~/x` within the home directory, `//x` is `/x`, and `/x` is meant both ways.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from helloclaw.permissions.files import Files
from helloclaw.permissions.paths import is_secret, runs_by_itself
from helloclaw.permissions.rule_syntax import Rule
from helloclaw.permissions.verdict import Scope


def allows_path(rule: Rule, real: str, scope: Scope, files: Files) -> bool:
    """Whether the rule covers the resolved path. What looks secret, or runs by itself, has to be meant by name."""
    if rule.pattern is None:
        return not is_secret(real) and not runs_by_itself(real)
    if is_secret(real) and not _names_it(rule.pattern):
        return False
    if runs_by_itself(real) and not runs_by_itself(f"/{rule.pattern}".replace("/**", "").replace("/*", "")):
        return False
    anchors = _anchored(rule.pattern, str(scope.workdir), str(scope.home))
    if any(_path_regex(each, wide=False).fullmatch(real) for each in anchors):
        return True
    return any(_path_regex(_resolved(each, files), wide=False).fullmatch(real) for each in anchors)


def binds_path(rule: Rule, paths: Sequence[str], scope: Scope, files: Files) -> bool:
    """Whether a rule that forbids binds a path, given as written (made absolute) and as resolved."""
    if rule.pattern is None:
        return True
    anchors = _anchored(rule.pattern, str(scope.workdir), str(scope.home))
    if "/" not in rule.pattern.strip("/"):
        anchors = (*anchors, f"**/{rule.pattern.strip('/')}")
    regexes = [_path_regex(each, wide=True) for each in anchors]
    if any(regex.fullmatch(path.casefold()) for regex in regexes for path in paths):
        return True
    return any(_path_regex(_resolved(each, files), wide=True).fullmatch(paths[-1].casefold()) for each in anchors)


def binds_below(rule: Rule, directory: str, scope: Scope, *, hidden: bool) -> bool:
    """Whether a search through `directory` could read what the rule forbids."""
    if rule.pattern is None:
        return True
    name = rule.pattern.rstrip("/*").rpartition("/")[2]
    if not hidden and name.startswith("."):
        return False
    anchors = _anchored(rule.pattern, str(scope.workdir), str(scope.home))
    prefixes = [_static_prefix(each) for each in anchors]
    return any(_is_below(each, directory) or _is_below(directory, each) for each in prefixes)


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _names_it(pattern: str) -> bool:
    """Whether the last part of a pattern says what it is about, as `.env*` does and `**` does not."""
    return pattern.rstrip("/").rpartition("/")[2].strip("*") != ""


@lru_cache(maxsize=256)
def _anchored(pattern: str, workdir: str, home: str) -> tuple[str, ...]:
    """The pattern as absolute ones. `//x` is `/x`; `/x` may mean the project's or the system's root: it means both."""
    if pattern.startswith("//"):
        return (pattern[1:],)
    if pattern == "~" or pattern.startswith("~/"):
        return (_escaped(home) + pattern[1:],)
    within = f"{_escaped(workdir)}/{pattern.lstrip('/')}"
    return (within, pattern) if pattern.startswith("/") else (within,)


@lru_cache(maxsize=256)
def _escaped(path: str) -> str:
    return re.sub(r"([*?\[\\])", r"\\\1", path).rstrip("/")


@lru_cache(maxsize=256)
def _static_prefix(pattern: str) -> str:
    """The directory that a pattern can't leave."""
    parts: list[str] = []
    for part in pattern.split("/"):
        if any(each in part.replace("\\\\", "") for each in "*?["):
            break
        parts.append(part.replace("\\", ""))
    return "/".join(parts) or "/"


def _resolved(pattern: str, files: Files) -> str:
    """The pattern with links in its fixed part followed, as paths are."""
    prefix = _static_prefix(pattern)
    if not prefix.startswith("/") or prefix == "/":
        return pattern
    rest = pattern.split("/")[len(prefix.split("/")) :]
    return "/".join([_escaped(files.realpath(prefix)), *rest])


_GLOB_TOKEN = re.compile(r"(/\*\*$|\*\*/|\*\*)|(\*)|(\?)|(\[[!^]?\]?[^\]/]*\])|\\(.)|(.)", re.DOTALL)


@lru_cache(maxsize=2048)
def _path_regex(pattern: str, *, wide: bool) -> re.Pattern[str]:
    """gitignore's patterns. What a pattern names covers all below it; `wide` also what `*` matched."""

    def token(match: re.Match[str]) -> str:
        stars, star, one, bracket, escaped, literal = match.groups()
        if stars:
            return {"**/": "(?:.*/)?", "**": ".*"}.get(stars, "(?:/.*)?")
        if star:
            return "[^/]*"
        if one:
            return "[^/]"
        if bracket:
            return "[" + bracket[1:-1].replace("!", "^", 1).replace("\\", "\\\\") + "]"
        return re.escape(escaped or literal)

    tidy = pattern.rstrip("/") or "/"
    body = _GLOB_TOKEN.sub(token, tidy.casefold() if wide else tidy)
    covers_below = wide or "*" not in tidy.rpartition("/")[2]
    try:
        return re.compile(body + ("(?:/.*)?" if covers_below else ""), re.DOTALL)
    except re.error:
        return re.compile(re.escape(tidy))
