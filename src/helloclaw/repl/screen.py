"""The lower edge of the terminal: a live part, a status row, the input line or a menu, and the HUD.

What is finished is printed above once and left to the terminal's scrollback; only these few rows are ever repainted.
It knows nothing of sessions: it is handed texts and hands back keys.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from prompt_toolkit.application import Application
from prompt_toolkit.filters import Condition, vi_insert_mode
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples
from prompt_toolkit.key_binding import ConditionalKeyBindings, KeyBindings, KeyBindingsBase, merge_key_bindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout.containers import (
    ConditionalContainer,
    Container,
    DynamicContainer,
    HSplit,
    VerticalAlign,
    Window,
)
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.layout.layout import Layout
from prompt_toolkit.styles import BaseStyle, DynamicStyle

if TYPE_CHECKING:
    from prompt_toolkit.formatted_text import AnyFormattedText
    from prompt_toolkit.input import Input
    from prompt_toolkit.layout.containers import AnyContainer
    from prompt_toolkit.output import Output

    from helloclaw.repl.compose.composer import Composer

LEAST_ROWS, LEAST_COLUMNS = 8, 16
"""A terminal of fewer shows no question that could be answered with yes."""
READING_S = 0.5
_BEGIN_UPDATE, _END_UPDATE = "\x1b[?2026h", "\x1b[?2026l"
"""Terminals that know synchronized updates (DEC mode 2026) show what lies between as one change; others ignore it."""

Fragments = StyleAndTextTuples


class View(Protocol):
    """What stands in the place of the input line while a question is open."""

    @property
    def container(self) -> AnyContainer: ...

    @property
    def key_bindings(self) -> KeyBindingsBase: ...


class Rows(Protocol):
    """What the screen asks for each time it paints. Widths are columns."""

    def live(self, rows: int) -> str:
        """ANSI text of what is being written just now, at most `rows` rows."""
        ...

    def status(self, width: int) -> Fragments: ...

    def hud(self, width: int) -> Fragments: ...


class Hands(Protocol):
    """What the person wants, told by keys that mean the same wherever the cursor is."""

    def interrupt(self) -> None:
        """Ctrl-C."""
        ...

    def escape(self) -> None: ...

    def end(self) -> None:
        """Ctrl-D in an empty input line, or the end of the terminal's input."""
        ...

    def expand(self) -> None:
        """Ctrl-O: show the last folded part whole."""
        ...

    def next_mode(self) -> None:
        """Shift-Tab."""
        ...

    def anything_waits(self) -> bool:
        """Whether messages wait for the model, which Up brings back into an empty input line."""
        ...

    def recall(self) -> None: ...


class Screen:
    """One prompt_toolkit application for the life of the REPL."""

    def __init__(
        self,
        composer: Composer,
        rows: Rows,
        hands: Hands,
        style: Callable[[], BaseStyle],
        *,
        source: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._composer = composer
        self._rows = rows
        self._hands = hands
        self._view: View | None = None
        self._quiet_s = 0.0
        self._quiet_since = 0.0
        self._in_sequence = False
        self._above: list[str] = []
        self._app: Application[None] = Application(
            layout=Layout(self._layout(), focused_element=composer.window),
            key_bindings=merge_key_bindings([self._bindings(), _of_view(self)]),
            style=DynamicStyle(style),
            editing_mode=composer.editing_mode,
            erase_when_done=True,
            enable_page_navigation_bindings=False,
            min_redraw_interval=0.02,
            input=source,
            output=output,
        )
        self._app.ttimeoutlen = 0.05
        self._app.timeoutlen = 0.25

    @property
    def columns(self) -> int:
        return max(20, self._app.output.get_size().columns)

    @property
    def lines(self) -> int:
        return max(5, self._app.output.get_size().rows)

    async def run(self, ready: Callable[[], None]) -> None:
        """Show the input line until `leave`. `ready` is called once it can be seen.

        Raises `EOFError` at the end of input.
        """
        told = False

        def painted(_: object) -> None:
            nonlocal told
            if not told:
                told = True
                ready()
            if self._above:  # written while an editor had the terminal
                self.flush()

        self._app.after_render += painted
        await self._app.run_async(handle_sigint=False, set_exception_handler=False)

    def leave(self) -> None:
        if self._app.is_running and self._app.future is not None and not self._app.future.done():
            self._app.exit()

    def repaint(self) -> None:
        self._app.invalidate()

    def print_above(self, text: str) -> None:
        """Print ANSI text, whole rows, above the live part: for ever."""
        if not text:
            return
        if not text.endswith("\n"):
            text += "\n"
        app = self._app
        if not app.is_running or app.future is None or app.future.done():
            app.output.write_raw(text.replace("\n", "\r\n"))
            app.output.flush()
            return
        self._above.append(text)
        if not app._running_in_terminal:  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - an editor has the terminal
            self.flush()

    def flush(self) -> None:
        """Print what waited while something else had the terminal."""
        text, self._above = "".join(self._above), []
        output = self._app.output
        output.write_raw(_BEGIN_UPDATE)
        self._app.renderer.erase(leave_alternate_screen=False)
        output.write_raw(text.replace("\n", "\r\n"))
        self._app._redraw()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - at once, or the input line would blink
        output.write_raw(_END_UPDATE)
        output.flush()

    def show(self, view: View | None, quiet_s: float = 0.0) -> None:
        """Put a question in the place of the input line, or bring the input line back; its text is as it was.

        Keys are dropped until none has come for `quiet_s` seconds.
        """
        self._view = view
        self._quiet_s = quiet_s
        self._quiet_since = time.monotonic()
        self._app.layout.focus(self._composer.window if view is None else view.container)
        self.repaint()

    @property
    def asking(self) -> bool:
        return self._view is not None

    @property
    def view_bindings(self) -> KeyBindingsBase | None:
        return None if self._view is None else self._view.key_bindings

    @property
    def guarded(self) -> bool:
        """Whether keys are dropped, since they may not be meant for the question that has appeared."""
        return self._view is not None and time.monotonic() - self._quiet_since < self._quiet_s

    @property
    def cramped(self) -> bool:
        """Whether a question can't be seen whole, so that only leaving it counts."""
        size = self._app.output.get_size()
        cramped = self._view is not None and (size.rows < LEAST_ROWS or size.columns < LEAST_COLUMNS)
        if cramped:
            # Once there is room, nobody has read the question yet.
            self._quiet_s, self._quiet_since = max(self._quiet_s, READING_S), time.monotonic()
        return cramped

    def drop_key(self) -> None:
        self._quiet_since = time.monotonic()
        self.repaint()

    def ring(self) -> None:
        self._app.output.bell()
        self._app.output.flush()

    def clear(self) -> None:
        """Ctrl-L: an empty screen with the input line at its top."""
        self._app.renderer.clear()
        self.repaint()

    def _suspend(self) -> None:
        """Ctrl-Z, as a shell's person expects it; Windows has none."""
        self._app.suspend_to_background()

    def _begin_sequence(self) -> None:
        self._in_sequence = True

    def _swallow(self, event: KeyPressEvent) -> None:
        """The rest of a control sequence that nobody knows, up to its final byte (ECMA-48, 5.4)."""
        self._in_sequence = event.data[:1] < "@"

    def _layout(self) -> HSplit:
        composing = Condition(lambda: self._view is None)
        live = Window(
            FormattedTextControl(self._live, show_cursor=False),
            dont_extend_height=True,
            wrap_lines=False,
        )
        status = Window(
            FormattedTextControl(lambda: self._rows.status(self.columns)), dont_extend_height=True, wrap_lines=True
        )
        hud = Window(FormattedTextControl(lambda: self._rows.hud(self.columns)), dont_extend_height=True, height=1)
        return HSplit(
            [
                ConditionalContainer(live, Condition(lambda: bool(self._live_text()))),
                Window(height=1),
                ConditionalContainer(status, Condition(lambda: bool(self._rows.status(self.columns)))),
                ConditionalContainer(self._composer.container, composing),
                ConditionalContainer(self._completions(), composing & Condition(self._completing)),
                DynamicContainer(self._view_container),
                hud,
            ],
            align=VerticalAlign.TOP,
        )

    def _view_container(self) -> AnyContainer:
        return self._view.container if self._view is not None else Window(height=0)

    def _live_text(self) -> str:
        # The input line, a menu and the HUD must stay in sight.
        return self._rows.live(max(2, self.lines - 10))

    def _live(self) -> AnyFormattedText:
        return ANSI(self._live_text())

    def _completing(self) -> bool:
        state = self._composer.buffer.complete_state
        return state is not None and bool(state.completions)

    def _completions(self) -> Container:
        return Window(
            FormattedTextControl(self._completion_rows, show_cursor=False),
            dont_extend_height=True,
            wrap_lines=False,
        )

    def _completion_rows(self) -> Fragments:
        from helloclaw.repl.completion_rows import completion_rows

        state = self._composer.buffer.complete_state
        if state is None:
            return []
        return completion_rows(state.completions, state.complete_index, self.columns)

    def _bindings(self) -> KeyBindingsBase:
        keys = KeyBindings()
        composing = Condition(lambda: self._view is None)
        empty = Condition(lambda: not self._composer.text)
        hands = self._hands
        keys.add("c-c", filter=composing)(_calling(hands.interrupt))
        keys.add("c-d", filter=composing & empty)(_calling(hands.end))
        # In vi's insert mode Escape is vi's own.
        keys.add("escape", filter=composing & ~vi_insert_mode)(_calling(hands.escape))
        keys.add("c-o", filter=composing)(_calling(hands.expand))
        keys.add("s-tab", filter=composing)(_calling(hands.next_mode))
        keys.add("up", filter=composing & empty & Condition(hands.anything_waits))(_calling(hands.recall))
        keys.add("c-l", filter=composing)(_calling(self.clear))
        keys.add("c-z")(_calling(self._suspend))
        # What no key of ours is must not stop a turn, which Escape alone does: Alt with a letter, and whole sequences.
        keys.add("escape", Keys.Any, filter=composing & ~vi_insert_mode)(_calling(lambda: None))
        for introducer in ("[", "O"):
            keys.add("escape", introducer, filter=composing)(_calling(self._begin_sequence))
        keys.add(Keys.Any, filter=Condition(lambda: self._in_sequence), eager=True)(self._swallow)
        return keys


def _of_view(screen: Screen) -> KeyBindingsBase:
    """The open question's keys; while guarded, none of them."""
    from prompt_toolkit.key_binding.key_bindings import DynamicKeyBindings

    guard = KeyBindings()

    dropping = Condition(lambda: screen.guarded)
    cramped = Condition(lambda: screen.cramped)
    for key in (Keys.Any, "enter", "up", "down", Keys.BracketedPaste):
        guard.add(key, filter=dropping | cramped, eager=True)(_calling(screen.drop_key))
    for key in ("c-c", "c-d", "escape"):
        guard.add(key, filter=dropping, eager=True)(_calling(screen.drop_key))
    answering = DynamicKeyBindings(lambda: screen.view_bindings)
    unguarded = ConditionalKeyBindings(answering, Condition(lambda: screen.asking and not screen.guarded))
    return merge_key_bindings([unguarded, guard])


def _calling(action: Callable[[], None]) -> Callable[[KeyPressEvent], None]:
    def pressed(_: KeyPressEvent) -> None:
        action()

    return pressed
