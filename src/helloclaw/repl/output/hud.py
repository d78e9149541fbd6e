"""The row under the input line: how full the context is, what has been spent, which model and mode. Pure.

`ctx ███░░░░░░░ 12% · in 4,512 out 1,203 · total 5,715/100,000 · Δin 312 Δout 87`: `in` and `out` count the session's
tokens so far, `total` is their sum beside the context's threshold of compaction, which the bar shows how much of is
used; Δ is the last call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from helloclaw.i18n import Texts
from helloclaw.protocol.events import Mode, UsageEvent
from helloclaw.repl.output.rows import columns, fitted
from helloclaw.wording.plain import one_line

if TYPE_CHECKING:
    from prompt_toolkit.formatted_text import StyleAndTextTuples

_BAR_CELLS = 10
_MIDDLE_PERCENT, _HIGH_PERCENT = 50.0, 80.0


def hud(
    usage: UsageEvent | None, model: str, mode: Mode, width: int, say: Texts, *, ascii_only: bool = False
) -> StyleAndTextTuples:
    """One row of (style class, text), never wider than `width` columns: what matters least is left out first."""
    parts = _parts(usage, model, mode, say, ascii_only=ascii_only)
    separator = " - " if ascii_only else " · "
    while len(parts) > 1 and _width(parts, separator) > width:
        least = max(parts, key=lambda part: part.rank)
        if least.short:
            least.fragments, least.short = least.short, []
        else:
            parts.remove(least)
    row: StyleAndTextTuples = []
    room = width
    for index, part in enumerate(parts):
        for style, text in ([("class:hud", separator)] if index else []) + part.fragments:
            shown = fitted(text, room)
            if shown:
                row.append((style, shown))
            room -= columns(shown)
    return row


class _Part:
    """Of equal worth are none: the highest `rank` goes first, and becomes `short` before that, if it can."""

    def __init__(self, rank: int, *fragments: tuple[str, str], short: Sequence[tuple[str, str]] = ()) -> None:
        self.rank = rank
        self.fragments = list(fragments)
        self.short = list(short)


def _parts(usage: UsageEvent | None, model: str, mode: Mode, say: Texts, *, ascii_only: bool) -> list[_Part]:
    delta = "+" if ascii_only else "Δ"
    parts: list[_Part] = []
    if usage is not None:
        percent = usage.ctx_percent
        level = "low" if percent < _MIDDLE_PERCENT else "middle" if percent < _HIGH_PERCENT else "high"
        bar = _bar(percent, ascii_only=ascii_only)
        parts += [
            _Part(
                1,
                *(("class:hud", "ctx "), (f"class:hud.{level}", bar), ("class:hud", f" {percent:.0f}%")),
                short=(("class:hud", "ctx "), (f"class:hud.{level}", f"{percent:.0f}%")),
            ),
            _Part(4, ("class:hud", f"in {_input(usage):,} out {usage.total.output:,}")),
            _Part(5, ("class:hud", f"total {_input(usage) + usage.total.output:,}/{usage.token_threshold:,}")),
            _Part(
                7,
                ("class:hud", f"{delta}in {usage.last.context - usage.last.output:,} {delta}out {usage.last.output:,}"),
            ),
        ]
        if usage.cost_usd is not None:
            parts.append(_Part(6, ("class:hud", f"${usage.cost_usd:.4f}")))
    parts.append(_Part(3, ("class:hud", one_line(model, 40))))
    parts.append(_Part(0, (f"class:mode.{mode}", say("hud.mode", mode=mode))))
    return parts


def _input(usage: UsageEvent) -> int:
    """Tokens read, cached or not."""
    return usage.total.input + usage.total.cache_read + usage.total.cache_write


def _bar(percent: float, *, ascii_only: bool) -> str:
    full = min(_BAR_CELLS, max(0, round(percent / 100 * _BAR_CELLS)))
    return ("#" if ascii_only else "█") * full + ("." if ascii_only else "░") * (_BAR_CELLS - full)


def _width(parts: list[_Part], separator: str) -> int:
    inner = sum(columns(text) for part in parts for _, text in part.fragments)
    return inner + columns(separator) * (len(parts) - 1)
