"""Puts the parts of the REPL together: colours for this terminal, the input line, the screen, the feed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from helloclaw.repl.compose.composer import Composer
from helloclaw.repl.compose.shapes import CommandHelp, Composed
from helloclaw.repl.desk import Desk
from helloclaw.repl.feed import Feed
from helloclaw.repl.output.cards import Cards
from helloclaw.repl.output.painter import Painter
from helloclaw.repl.output.theme import colour_depth, palette_for
from helloclaw.repl.screen import Screen
from helloclaw.settings.values import Settings

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
    desk.composer = Composer(
        home=desk.options.home,
        workdir=talk.cwd,
        commands=lambda: commands_of(talk),
        say=desk.say,
        editing=settings.ui.editing,
        on_submit=submit,
        environ=desk.environ,
    )
    desk.screen = Screen(
        desk.composer,
        talk,
        talk,
        desk.styles,
        vi=settings.ui.editing == "vi",
        source=source,
        output=output or quiet_output(desk),
    )
    depth = colour_depth(desk.environ, is_terminal=True)
    desk.painter = Painter(desk.screen.columns, depth, desk.palette)
    desk.cards = Cards(desk.painter, desk.say, ascii=desk.ascii)
    desk.feed = Feed(desk.painter, desk.cards, desk.say)


def quiet_output(desk: Desk) -> Output:
    """The terminal, never asked where its cursor is: the answer would come in between what is typed."""
    from prompt_toolkit.output import ColorDepth
    from prompt_toolkit.output.vt100 import Vt100_Output

    depths = {
        "none": ColorDepth.DEPTH_1_BIT,
        "16": ColorDepth.DEPTH_4_BIT,
        "256": ColorDepth.DEPTH_8_BIT,
        "truecolor": ColorDepth.DEPTH_24_BIT,
    }
    depth = colour_depth(desk.environ, is_terminal=True)
    return Vt100_Output.from_pty(
        sys.stdout, term=desk.environ.get("TERM"), default_color_depth=depths[depth], enable_cpr=False
    )


def speaks_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") in {"utf8", "gb18030"}


def model_named(settings: Settings) -> str:
    return settings.llm.model_id or "local"


def commands_of(talk: Talk) -> list[CommandHelp]:
    """The slash commands for completion; none before there is a session."""
    from helloclaw.slash.registry import command_helps

    host = talk.host
    if host is None:
        return []
    return [CommandHelp(*each) for each in command_helps(host)]
