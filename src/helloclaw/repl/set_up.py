"""Puts the parts of the REPL together: colours for this terminal, the input line, the screen, the feed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from helloclaw.repl.compose.composer import Composer
from helloclaw.repl.compose.shapes import CommandHelp, Composed
from helloclaw.repl.desk import Desk, model_named
from helloclaw.repl.output.theme import colour_depth, palette_for
from helloclaw.repl.screen import Screen
from helloclaw.repl.terminal_output import terminal_output
from helloclaw.repl.views import Views

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from helloclaw.repl.talk import Talk


def set_up(
    desk: Desk,
    talk: Talk,
    submit: Callable[[Composed], None],
    *,
    source: Input | None = None,
    output: Output | None = None,
) -> None:
    """Fill in what `desk` holds."""
    settings = desk.options.source.current()
    desk.ascii = not speaks_utf8()
    desk.palette = palette_for(settings.ui.theme, desk.environ)
    desk.model = model_named(settings)
    desk.first_mode = settings.permissions.mode
    depth = desk.depth = colour_depth(desk.environ, is_terminal=True)
    desk.composer = Composer(
        home=desk.options.home,
        workdir=talk.cwd,
        commands=lambda: commands_of(talk),
        say=desk.say,
        editing=settings.ui.editing,
        on_submit=submit,
        environ=desk.environ,
        notify=lambda text: desk.note(text, "warning"),
        mark_style=lambda: f"class:mode.{talk.mode}",
    )
    desk.screen = Screen(
        desk.composer,
        talk,
        talk,
        desk.style,
        source=source,
        output=output or terminal_output(depth, desk.environ.get("TERM")),
    )
    desk.views = Views(desk.screen, lambda: bool(desk.composer.text))


def speaks_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") in {"utf8", "gb18030"}


def commands_of(talk: Talk) -> list[CommandHelp]:
    """The slash commands for completion; before there is a session, the built-in ones."""
    from helloclaw.slash.registry import built_in, command_helps

    host = talk.host
    if host is None:
        return [
            CommandHelp(each.name, each.usage, each.described(talk.say), each.takes_argument) for each in built_in()
        ]
    return [
        CommandHelp(each.name, each.usage, each.about, each.takes_argument, _given(each.choices))
        for each in command_helps(host)
    ]


def _given(choices: list[str] | None) -> Callable[[], list[str]] | None:
    return None if choices is None else lambda: choices
