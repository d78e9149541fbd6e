"""From samples to numbers that a reader can weigh: medians, ratios to HelloClaw, a Markdown table. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

MISSING = "–"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measured quantity; less is better."""

    title: str
    unit: str
    digits: int
    values: Mapping[str, Sequence[float]]
    """Every run's value, by subject; a subject that can't do it is left out."""

    def medians(self) -> dict[str, float]:
        """The middle value of each subject."""
        return {subject: median(values) for subject, values in self.values.items() if values}


def cell(row: Row, subject: str, against: str) -> str:
    """The median, and how many times HelloClaw's it is."""
    medians = row.medians()
    if subject not in medians:
        return MISSING
    shown = f"{medians[subject]:.{row.digits}f}"
    base = medians.get(against)
    if subject == against or not base or base <= 0:
        return shown
    ratio = medians[subject] / base
    return f"{shown} ({ratio:.{0 if ratio >= 10 else 1}f}×)"


def table(rows: Sequence[Row], subjects: Sequence[str], *, against: str) -> str:
    """A Markdown table: a line for each row, a column for each subject."""
    lines = [
        "| | " + " | ".join(subjects) + " |",
        "| --- |" + " ---: |" * len(subjects),
    ]
    for row in rows:
        cells = " | ".join(cell(row, subject, against) for subject in subjects)
        lines.append(f"| {row.title}, {row.unit} | {cells} |")
    return "\n".join(lines) + "\n"


def spread(values: Sequence[float]) -> str:
    """Lowest and highest, to judge how much a median can be trusted."""
    return f"{min(values):.3g}–{max(values):.3g}" if values else MISSING
