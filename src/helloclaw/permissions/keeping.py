"""The one way a rule gets into a file: the person's own `permissions.json`, or that of a project they trust.

A project's file is among what a directory is trusted with. So a person's own change must take no trust away, and must
not carry in what somebody else has put there meanwhile: the file counts as seen only if it is what was trusted, and
that one rule.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from helloclaw.i18n import SpokenError
from helloclaw.permissions.rules import BadRule, Rule, load_rules, remove_rule, save_rule
from helloclaw.settings.problems import SettingsError
from helloclaw.settings.trust import is_trusted, renew
from helloclaw.storage.locks import Busy, hold
from helloclaw.storage.paths import Home

__all__ = ["PROJECT_FILE", "NotKept", "Place", "RuleFiles"]

Place = Literal["project", "user"]

PROJECT_FILE = ".claude/permissions.json"
_LOCK_WAIT_S = 5.0


class NotKept(SpokenError):
    """A rule could not be saved or taken out; says where and why."""


class RuleFiles:
    """Where rules are kept for a working directory. One writer at a time, whatever the process."""

    def __init__(self, home: Home, workdir: Path) -> None:
        self._home = home
        self._workdir = workdir

    @property
    def places(self) -> tuple[Place, ...]:
        """Where a rule can be saved so that it counts: in a project only while its directory is trusted."""
        return ("project", "user") if is_trusted(self._home, self._workdir) else ("user",)

    def path(self, place: Place) -> Path:
        return self._home.permissions if place == "user" else self._workdir / PROJECT_FILE

    def add(self, rule: Rule, place: Place) -> None:
        """Allow what the rule allows from now on. Raises `NotKept`."""
        kept = msgspec.structs.replace(rule, source=place)
        with self._held(place, rule.text) as path:
            if place == "user":
                save_rule(path, kept)
            elif not self._change(path, lambda: save_rule(path, kept), lambda allow: _with(allow, rule.text)):
                raise NotKept("rule.not_trusted", rule=rule.text, path=path)

    def remove(self, text: str, place: Place) -> bool:
        """Take a rule out of a file. False if it is not in it. Raises `BadRule` for a broken file, and `NotKept`."""
        kept = load_rules(self.path(place), place)
        if not any(text == rule.text for rule in (*kept.allow, *kept.deny, *kept.ask)):
            return False
        with self._held(place, text) as path:
            if place == "user":
                remove_rule(path, text)
            elif not self._change(path, lambda: remove_rule(path, text), lambda found: _without(found, text)):
                remove_rule(path, text)  # Where nothing is trusted there is no trust to keep.
        return True

    def _change(self, path: Path, change: Callable[[], object], meant: Callable[[_Lists], _Lists]) -> bool:
        """Change the project's file and keep the trust in its directory; False, and no change, where there is none."""
        if not is_trusted(self._home, self._workdir):
            return False
        before = _content(path)
        change()
        after = _content(path)
        if _lists(after) != meant(_lists(before)) or not renew(
            self._home, self._workdir, PROJECT_FILE, before=_digest(before), after=_digest(after)
        ):
            raise NotKept("rule.changed_meanwhile", path=path)
        return True

    @contextmanager
    def _held(self, place: Place, text: str) -> Generator[Path]:
        """The file, with nobody else writing to it through here."""
        path = self.path(place)
        try:
            lock = hold(self._home.cache / "keeping-rules.lock", timeout_s=_LOCK_WAIT_S)
            try:
                if place == "project" and os.path.realpath(path) != os.path.join(
                    os.path.realpath(self._workdir), PROJECT_FILE
                ):
                    raise NotKept("rule.through_link", rule=text, path=path)
                yield path
            finally:
                lock.release()
        except (BadRule, SettingsError) as error:
            raise NotKept("rule.not_saved", rule=text, path=path, why=error.phrase) from error
        except (Busy, OSError, ValueError) as error:
            raise NotKept("rule.not_saved", rule=text, path=path, why=error) from error


_Lists = dict[str, list[str]]


def _content(path: Path) -> bytes:
    """Read once: what is compared and what is hashed must be the same bytes."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _lists(content: bytes) -> _Lists:
    text = content.removeprefix(b"\xef\xbb\xbf")
    found = cast("dict[str, Any]", msgspec.json.decode(text) if text.strip() else {})
    return {name: entries for name, entries in found.items() if entries}


def _digest(content: bytes) -> str | None:
    """What the directory is trusted with; None for a file that allows nothing, since it needs no trust."""
    return hashlib.sha256(content).hexdigest() if "allow" in _lists(content) else None


def _with(lists: _Lists, text: str) -> _Lists:
    allow = lists.get("allow", [])
    return {**lists, "allow": allow if text in allow else [*allow, text]}


def _without(lists: _Lists, text: str) -> _Lists:
    left = {name: [entry for entry in entries if entry != text] for name, entries in lists.items()}
    return {name: entries for name, entries in left.items() if entries}
