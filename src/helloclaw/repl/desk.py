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

    from helloclaw.protocol.events import Mode
    from helloclaw.repl.compose.composer import Composer
    from helloclaw.repl.feed import Feed
    from helloclaw.repl.menu import Choice
    from helloclaw.repl.output.cards import Cards
    from helloclaw.repl.output.painter import Painter
    from helloclaw.repl.output.theme import Depth, Palette
    from helloclaw.repl.screen import Screen, View
    from helloclaw.repl.spacing import Kind
    from helloclaw.repl.views import Views
    from helloclaw.settings.values import Settings

RING_AFTER_S = 8.0
TWICE_WITHIN_S = 2.0


def model_named(settings: Settings) -> str:
    """What the HUD calls the model before it has answered."""
    return settings.llm.model_id or "local"


class Desk:
    """`set_up` fills in what is declared here. `first_mode` is shown until there is a session; `ascii` says that the
    terminal knows no more than that.
    """

    screen: Screen
    views: Views
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

    def begin_session(self) -> None:
        """Forget what was counted and folded in the session before."""
        spaced = self.feed.spaced
        del self.feed
        self.feed.spaced = spaced
        self.model = model_named(self.options.source.current())

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Something that a key has set off, owned here until it is done."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Say what went wrong; the session goes on."""
        self.tell("note", self.cards.error(self.options.explain(error)))

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
        self,
        rows: Sequence[Choice],
        decided: Callable[[Any], None],
        title: str = "",
        *,
        search: bool = False,
        urgent: bool = False,
        cursor: int = 0,
    ) -> View:
        """Put a menu in the place of the input line; `decided` hears the value, None if it was left.

        An `urgent` one is the agent's: it goes on top of what the person has opened, and no stray key answers it.
        """
        from helloclaw.repl.menu import Menu, MenuView

        def on_choice(value: Any) -> None:
            self.views.take(view)
            decided(value)

        view = MenuView(
            Menu(tuple(rows), cursor, searchable=search), on_choice, title=title, say=self.say, ascii=self.ascii
        )
        self.views.put(view, urgent=urgent, guarded=urgent, left=lambda: decided(None))
        return view

    async def pick(self, rows: Sequence[Choice], title: str = "", *, search: bool = False) -> Any:
        """The chosen value, None if the menu was left."""
        chosen: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        view = self.ask(rows, lambda value: None if chosen.done() else chosen.set_result(value), title, search=search)
        try:
            return await chosen
        finally:
            self.views.take(view)

    def ask_text(self, title: str, done: Callable[[str | None], None]) -> View:
        """Ask for a line as part of an urgent question."""
        from helloclaw.repl.text_view import TextView

        def on_text(text: str | None) -> None:
            self.views.take(view)
            done(text)

        view = TextView(title, on_text)
        self.views.put(view, urgent=True, left=lambda: done(None))
        return view
