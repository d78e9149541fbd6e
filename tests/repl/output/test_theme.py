"""Which colours a terminal gets, and none where somebody wants none."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from prompt_toolkit.styles import Style

from helloclaw.repl.output.theme import Look, colour_depth, palette_for


@pytest.mark.parametrize(
    ("environ", "is_terminal", "depth"),
    [
        ({"TERM": "xterm"}, True, "16"),
        ({"TERM": "xterm-256color"}, True, "256"),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, True, "truecolor"),
        ({"TERM": "xterm", "COLORTERM": "24bit"}, True, "truecolor"),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, True, "none"),
        ({}, True, "none"),
        ({"TERM": "xterm"}, False, "none"),
        ({"TERM": "xterm", "NO_COLOR": "0"}, True, "none"),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, "16"),
        ({"TERM": "xterm", "FORCE_COLOR": "1"}, False, "16"),
        ({"TERM": "xterm", "FORCE_COLOR": "0"}, False, "none"),
        ({"TERM": "xterm", "FORCE_COLOR": "1", "NO_COLOR": "1"}, True, "none"),
    ],
)
def test_colour_depth(environ: Mapping[str, str], is_terminal: bool, depth: str) -> None:
    assert colour_depth(environ, is_terminal=is_terminal) == depth


@pytest.mark.parametrize(
    ("theme", "environ", "dark"),
    [
        ("auto", {}, True),
        ("auto", {"COLORFGBG": "0;15"}, False),
        ("auto", {"COLORFGBG": "0;default;7"}, False),
        ("auto", {"COLORFGBG": "15;0"}, True),
        ("light", {"COLORFGBG": "15;0"}, False),
        ("dark", {"COLORFGBG": "0;15"}, True),
    ],
)
def test_the_theme_goes_by_the_background(theme: str, environ: Mapping[str, str], dark: bool) -> None:
    match theme:
        case "light":
            palette = palette_for("light", environ)
        case "dark":
            palette = palette_for("dark", environ)
        case _:
            palette = palette_for("auto", environ)
    assert palette.dark is dark


def test_a_look_in_both_languages() -> None:
    look = Look("bright_red", bold=True, strike=True)
    assert (look.sgr("16"), look.sgr("none"), look.prompt_toolkit()) == (
        "1;9;91",
        "",
        "bold strike fg:ansibrightred",
    )


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_screen_understands_every_style(theme: str) -> None:
    styles = palette_for("light" if theme == "light" else "dark", {}).prompt_toolkit_style()
    parsed = Style.from_dict(styles)
    assert [name for name, _ in parsed.style_rules] == list(styles)
