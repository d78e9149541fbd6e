"""What stays the same from session to session: the screen, the input line, colours, language, and where things are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from helloclaw.i18n import Texts
from helloclaw.repl.options import ReplOptions

if TYPE_CHECKING:
    from prompt_toolkit.styles import Style

    from helloclaw.agent.session import Session
    from helloclaw.protocol.events import Mode
    from helloclaw.repl.compose.composer import Composer
    from helloclaw.repl.feed import Feed
    from helloclaw.repl.menu import Choice
    from helloclaw.repl.output.cards import Cards
    from helloclaw.repl.output.painter import Painter
    from helloclaw.repl.output.theme import Depth, Palette
    from helloclaw.repl.screen import Screen, View
    from helloclaw.repl.spacing import Kind
    from helloclaw.slash.base import Host

RING_AFTER_S = 8.0
TWICE_WITHIN_S = 2.0
GUARD_S = 0.5
"""Keys typed into a text a moment before a question appears are not meant for the question."""


class Desk:
    """`set_up` fills in what is declared here. `first_mode` is shown until there is a session; `ascii` says that the
    terminal knows no more than that.
    """

    screen: Screen
    composer: Composer
    palette: Palette
    depth: Depth
    first_mode: Mode
    ascii: bool

    def __init__(self, options: ReplOptions) -> None:
        self.options = options
        self.say: Texts = options.say
        self.environ: Mapping[str, str] = options.environ
        self.model = ""
        self.escaped_at = 0.0
        self._pending: list[str] = []
        self._hint = ("", 0.0)
        self._interrupted_at = -TWICE_WITHIN_S
        self._style: tuple[Palette, Style] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @cached_property
    def painter(self) -> Painter:
        """Like `cards` and `feed` made when there is something to show, which is after the first prompt."""
        from helloclaw.repl.output.painter import Painter

        return Painter(self.screen.columns, self.depth, self.palette, ascii=self.ascii)

    @cached_property
    def cards(self) -> Cards:
        from helloclaw.repl.output.cards import Cards

        return Cards(self.painter, self.say, ascii=self.ascii)

    @cached_property
    def feed(self) -> Feed:
        from helloclaw.repl.feed import Feed

        return Feed(self.painter, self.cards, self.say)

    def host(self, session: Session) -> Host:
        options = self.options
        return SlashHost(session, options, trusted=options.trusted)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Something that a key has set off, owned here until it is done."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End what keys have set off."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def tell(self, kind: Kind, text: str) -> None:
        """Print something of a kind, with an empty row before it where one is due."""
        self.print(self.feed.spaced(kind, text))

    def note(self, text: str, level: Literal["info", "warning"] = "info") -> None:
        self.tell("note", self.cards.notice(text, level))

    def print(self, text: str, *, soon: bool = False) -> None:
        """Print above the input line; `soon` lets a stream's small pieces wait for the next tick."""
        if text:
            self._pending.append(text)
        if not soon:
            self.print_pending()

    def print_pending(self) -> bool:
        """Print what waited for the tick. False if nothing did."""
        text, self._pending = "".join(self._pending), []
        self.screen.print_above(text)
        return bool(text)

    def hint(self, text: str, seconds: float) -> None:
        """Show a word beside the HUD for a while."""
        self._hint = (text, time.monotonic() + seconds)
        self.screen.repaint()
        asyncio.get_running_loop().call_later(seconds + 0.05, self.screen.repaint)

    def twice(self) -> bool:
        """Whether Ctrl-C, which has nothing to stop, leaves: the second time. The first time it says so."""
        now = time.monotonic()
        if now - self._interrupted_at < TWICE_WITHIN_S:
            return True
        self._interrupted_at = now
        self.hint(self.say("repl.again_to_leave"), TWICE_WITHIN_S)
        return False

    @property
    def hint_now(self) -> str:
        text, until = self._hint
        return text if time.monotonic() < until else ""

    def style(self) -> Style:
        """The screen's, of the palette in use now; the same object until that changes, or all would be painted anew."""
        if self._style is None or self._style[0] is not self.palette:
            from prompt_toolkit.styles import Style

            self._style = (self.palette, Style.from_dict(self.palette.prompt_toolkit_style()))
        return self._style[1]

    def switch_theme(self, theme: Literal["auto", "dark", "light"]) -> None:
        from helloclaw.repl.output.theme import palette_for

        self.palette = palette_for(theme, self.environ)
        self.painter.palette = self.palette
        self.screen.repaint()

    def ring(self) -> None:
        """Call somebody who has looked away from a long turn."""
        if self.feed.turn_seconds > RING_AFTER_S:
            self.screen.ring()

    def ask(
        self, rows: Sequence[Choice], decided: Callable[[Any], None], title: str = "", *, search: bool = False
    ) -> None:
        """Put a menu in the place of the input line; `decided` hears the value, None if it was left."""
        from helloclaw.repl.menu import Menu, MenuView

        def on_choice(value: Any) -> None:
            self.screen.show(None)
            decided(value)

        menu = Menu(tuple(rows), searchable=search)
        self._put(MenuView(menu, on_choice, title=title, say=self.say))

    async def pick(self, rows: Sequence[Choice], title: str = "", *, search: bool = False) -> Any:
        """The chosen value, None if the menu was left."""
        chosen: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.ask(rows, lambda value: None if chosen.done() else chosen.set_result(value), title, search=search)
        return await chosen

    def ask_text(self, title: str, done: Callable[[str | None], None]) -> None:
        from helloclaw.repl.text_view import TextView

        def on_text(text: str | None) -> None:
            self.screen.show(None)
            done(text)

        self._put(TextView(title, on_text))

    def _put(self, view: View) -> None:
        self.screen.show(view)
        if self.screen.guarded:
            self.hint(self.say("ask.in_a_moment"), GUARD_S)


class SlashHost:
    """What slash commands may use."""

    def __init__(self, session: Session, options: ReplOptions, *, trusted: bool) -> None:
        self.session = session
        self.source = options.source
        self.home = options.home
        self.say = options.say
        self.environ = options.environ
        self.trusted = trusted
