"""What is wrong with somebody's settings: the place, the thing, the next step."""

from __future__ import annotations

from collections.abc import Iterable

from helloclaw.i18n import SpokenError


class SettingsError(SpokenError):
    """Settings that can't be used. Nothing of the source it names has been applied."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` was probably meant to be."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=0.6)), None)
