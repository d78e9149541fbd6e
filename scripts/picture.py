"""A terminal's screen as an SVG picture, character for character, with its colours. Pure."""

from __future__ import annotations

from html import escape
from itertools import groupby

import pyte

CELL, LINE, MARGIN, BAR = 8.4, 18, 14, 30
BACKGROUND, FOREGROUND = "#16181d", "#d7dae0"
FONTS = "ui-monospace,'SF Mono',Menlo,Consolas,'Liberation Mono','Noto Sans Mono CJK SC',monospace"
NAMED = {
    "black": "#3b4048",
    "red": "#e06c75",
    "green": "#8cc265",
    "brown": "#d9a441",
    "blue": "#5aa9e6",
    "magenta": "#c678dd",
    "cyan": "#4fb9c4",
    "white": "#d7dae0",
    "brightblack": "#7d8590",
    "brightred": "#ff7b86",
    "brightgreen": "#a5e075",
    "brightbrown": "#ffd76a",
    "brightblue": "#7cc1ff",
    "brightmagenta": "#de8ef5",
    "brightcyan": "#6fdbe6",
    "brightwhite": "#ffffff",
}


def picture(screen: pyte.Screen, title: str) -> str:
    """The rows of `screen` up to the last one that holds something."""
    rows = list(range(max((y for y in range(screen.lines) if screen.display[y].strip()), default=0) + 1))
    width = screen.columns * CELL + 2 * MARGIN
    height = len(rows) * LINE + 2 * MARGIN + BAR
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        *(f'<circle cx="{20 + 18 * n}" cy="18" r="5" fill="{NAMED["brightblack"]}"/>' for n in range(3)),
        f'<g font-family="{FONTS}" font-size="14" xml:space="preserve">',
        *(part for y in rows for part in _row(screen, y)),
        "</g></svg>",
    ]
    return "\n".join(parts) + "\n"


def _row(screen: pyte.Screen, y: int) -> list[str]:
    """Runs of equal look; each is stretched to the columns it takes, whatever the font."""
    row = screen.buffer[y]
    parts: list[str] = []
    for look, run in groupby(range(screen.columns), key=lambda x: _look(row[x])):
        cells = list(run)
        text = "".join(row[x].data for x in cells)
        fore, back, bold, italics, underscore = look
        x, top = MARGIN + cells[0] * CELL, BAR + MARGIN + y * LINE
        if back != BACKGROUND:
            parts.append(f'<rect x="{x:.1f}" y="{top}" width="{len(cells) * CELL:.1f}" height="{LINE}" fill="{back}"/>')
        if text.strip():
            style = " font-weight='bold'" * bold + " font-style='italic'" * italics
            style += " text-decoration='underline'" * underscore
            length = f'textLength="{len(cells) * CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
            parts.append(f'<text x="{x:.1f}" y="{top + 13}" fill="{fore}" {length}{style}>{escape(text)}</text>')
    return parts


def _look(cell: pyte.screens.Char) -> tuple[str, str, bool, bool, bool]:
    fore, back = _colour(cell.fg, FOREGROUND), _colour(cell.bg, BACKGROUND)
    if cell.reverse:
        fore, back = back, fore
    return fore, back, cell.bold, cell.italics, cell.underscore


def _colour(name: str, default: str) -> str:
    if name == "default":
        return default
    return NAMED.get(name) or f"#{name}"
