"""Colours by what they are for. All are the terminal's own sixteen, so that they fit the person's own scheme.

NO_COLOR: https://no-color.org. FORCE_COLOR: https://force-color.org.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Depth = Literal["none", "16", "256", "truecolor"]

NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


class Look(NamedTuple):
    """How something looks: a colour's name, perhaps `bright_…`, or an empty string for the terminal's own."""

    colour: str = ""
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    strike: bool = False

    def sgr(self, depth: Depth) -> str:
        """The parameters of ECMA-48's Select Graphic Rendition; none at depth "none", as a terminal may know none."""
        if depth == "none":
            return ""
        codes = [str(code) for on, (code, _) in zip(self[1:], _ATTRIBUTES, strict=True) if on]
        if self.colour:
            bright, _, name = self.colour.rpartition("_")
            codes.append(str((90 if bright else 30) + NAMES.index(name)))
        return ";".join(codes)

    def prompt_toolkit(self) -> str:
        words = [word for on, (_, word) in zip(self[1:], _ATTRIBUTES, strict=True) if on]
        if self.colour:
            words.append(f"fg:{_PROMPT_TOOLKIT_NAMES[self.colour]}")
        return " ".join(words)


_ATTRIBUTES = ((1, "bold"), (2, "dim"), (3, "italic"), (4, "underline"), (7, "reverse"), (9, "strike"))
"""Of each flag, in order: its code and prompt_toolkit's word."""

_PROMPT_TOOLKIT_NAMES = {
    "black": "ansiblack",
    "red": "ansired",
    "green": "ansigreen",
    "yellow": "ansiyellow",
    "blue": "ansiblue",
    "magenta": "ansimagenta",
    "cyan": "ansicyan",
    "white": "ansigray",
    "bright_black": "ansibrightblack",
    "bright_red": "ansibrightred",
    "bright_green": "ansibrightgreen",
    "bright_yellow": "ansibrightyellow",
    "bright_blue": "ansibrightblue",
    "bright_magenta": "ansibrightmagenta",
    "bright_cyan": "ansibrightcyan",
    "bright_white": "ansiwhite",
}

_COMMON = {
    "accent": Look("cyan"),
    "dim": Look(dim=True),
    "ok": Look("green"),
    "warn": Look("yellow"),
    "error": Look("red"),
    "user": Look(bold=True),
    "ask": Look("yellow", bold=True),
    "heading": Look(bold=True),
    "heading.1": Look(bold=True, underline=True),
    "code": Look("cyan"),
    "added": Look("green"),
    "removed": Look("red"),
    "hunk": Look("cyan"),
    "output": Look(dim=True),
    "tool": Look(bold=True),
    "strong": Look(bold=True),
    "em": Look(italic=True),
    "strike": Look(strike=True),
    "html": Look(dim=True),
    "math": Look("magenta"),
    "bullet": Look("cyan"),
    "border": Look(dim=True),
    "table.head": Look(bold=True),
    "link": Look("blue", underline=True),
    "syntax.keyword": Look("magenta"),
    "syntax.string": Look("green"),
    "syntax.number": Look("yellow"),
    "syntax.comment": Look(dim=True, italic=True),
    "syntax.name": Look("blue"),
    "syntax.builtin": Look("cyan"),
    "prompt": Look("cyan", bold=True),
    "mode.default": Look("cyan", bold=True),
    "mode.plan": Look("blue", bold=True),
    "mode.auto": Look("yellow", bold=True),
    "question": Look(bold=True),
    "spinner": Look("cyan"),
    "phase": Look(),
    "queued": Look(italic=True),
    "hint": Look("yellow"),
    "hud": Look(dim=True),
    "hud.low": Look("green"),
    "hud.middle": Look("yellow"),
    "hud.high": Look("red"),
    "completion": Look(),
    "completion.chosen": Look("cyan", bold=True),
    "completion.about": Look(dim=True),
    "menu.title": Look(bold=True),
    "menu.chosen": Look("cyan", bold=True),
    "menu.about": Look(dim=True),
    "menu.more": Look(dim=True),
    "menu.hint": Look(dim=True),
    "auto-suggestion": Look(dim=True),
}
# Yellow and cyan can't be read on white.
_LIGHT = {
    "warn": Look("magenta"),
    "ask": Look("magenta", bold=True),
    "hint": Look("magenta"),
    "code": Look("blue"),
    "accent": Look("blue"),
    "bullet": Look("blue"),
    "syntax.number": Look("red"),
    "mode.auto": Look("magenta", bold=True),
    "hud.middle": Look("magenta"),
    "completion.chosen": Look("blue", bold=True),
    "menu.chosen": Look("blue", bold=True),
    "spinner": Look("blue"),
    "prompt": Look("blue", bold=True),
    "mode.default": Look("blue", bold=True),
}


class Palette(NamedTuple):
    """Looks by name; `dark` says what the background is taken for."""

    looks: Mapping[str, Look]
    dark: bool

    def sgr(self, name: str, depth: Depth) -> str:
        return self.looks.get(name, Look()).sgr(depth)

    def prompt_toolkit_style(self) -> dict[str, str]:
        """Class names with their style, for `Style.from_dict`."""
        # A menu of prompt_toolkit's own is grey; ours, of the same name, looks like the terminal.
        return {"menu": "noinherit"} | {name: look.prompt_toolkit() for name, look in self.looks.items()}


def palette_for(theme: Literal["auto", "dark", "light"], environ: Mapping[str, str]) -> Palette:
    """`auto` goes by COLORFGBG, which rxvt, Konsole and others set; without it, a dark background."""
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    light = theme == "light" or (theme == "auto" and background in {"7", "15"})
    return Palette(_COMMON | _LIGHT if light else _COMMON, dark=not light)


def colour_depth(environ: Mapping[str, str], *, is_terminal: bool) -> Depth:
    if environ.get("NO_COLOR"):
        return "none"
    forced = environ.get("FORCE_COLOR", "0") not in {"", "0", "false"}
    term = environ.get("TERM", "")
    if not forced and (not is_terminal or term in {"", "dumb"}):
        return "none"
    if environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return "truecolor"
    return "256" if "256" in term else "16"
