"""A menu in a terminal: a view for any prompt_toolkit application, and two questions that run alone and leave no trace.

What is chosen, and what happens then, is the caller's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from helloclaw.repl.menu_rows import render
from helloclaw.repl.menu_state import Choice, Menu
from helloclaw.wording.width import wrapped

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings, KeyBindingsBase
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent
    from prompt_toolkit.layout.controls import FormattedTextControl
    from prompt_toolkit.output import Output

    from helloclaw.i18n import Texts

__all__ = ["STYLE", "Choice", "Interrupted", "Menu", "MenuView", "ask_text", "choose", "quiet_output", "render"]

PAGE = 10
_MOST_ROWS = 14

STYLE = {
    "menu.title": "bold",
    "menu.chosen": "bold",
    "menu.about": "fg:ansibrightblack",
    "menu.more": "fg:ansibrightblack",
    "menu.hint": "fg:ansibrightblack",
}
"""How a menu looks where it stands alone."""


class Interrupted(Exception):
    """A question was answered with Ctrl-C or Ctrl-D, or the terminal's input has ended: not back, but out."""


class MenuView:
    """A menu as a container with keys, to stand in any application. `on_choice` hears the value, None if it is left.

    It is left with Esc, Ctrl-C, Ctrl-D, and `q` where nothing is searched.
    """

    def __init__(
        self,
        menu: Menu,
        on_choice: Callable[[Any], None],
        *,
        title: str = "",
        say: Texts | None = None,
        ascii: bool = False,  # noqa: A002 - as in `render`
    ) -> None:
        from prompt_toolkit.layout.containers import HSplit, Window
        from prompt_toolkit.layout.controls import FormattedTextControl

        self.menu = menu
        self._on_choice = on_choice
        self._title = title
        self._hint = say("menu.hint_search" if menu.searchable else "menu.hint") if say else ""
        self._ascii = ascii
        self.key_bindings = self._keys()
        rows = FormattedTextControl(self._rows, focusable=True, show_cursor=False)
        parts = [Window(rows, dont_extend_height=True, wrap_lines=False)]
        if title:
            parts.insert(0, Window(_prose("menu.title", title), dont_extend_height=True))
        if self._hint:
            parts.append(Window(_prose("menu.hint", self._hint), dont_extend_height=True))
        self.container = HSplit(parts)

    def _rows(self) -> StyleAndTextTuples:
        from prompt_toolkit.application import get_app

        size = get_app().output.get_size()
        width = max(1, size.columns)
        around = len(_broken(self._title, width)) + len(_broken(self._hint, width)) + 3
        return [*render(self.menu, width, max(2, min(_MOST_ROWS, size.rows - around)), self._ascii)]

    def _keys(self) -> KeyBindings:
        from prompt_toolkit.key_binding import KeyBindings
        from prompt_toolkit.keys import Keys

        keys = KeyBindings()

        def on(names: tuple[str, ...], step: Callable[[Menu], Menu]) -> None:
            def pressed(_: KeyPressEvent) -> None:
                self.menu = step(self.menu)

            for name in names:
                keys.add(name, eager=True)(pressed)

        on(("up", "c-p", "s-tab"), lambda menu: menu.moved(-1))
        on(("down", "c-n", "tab"), lambda menu: menu.moved(1))
        on(("pageup",), lambda menu: menu.jumped(-PAGE))
        on(("pagedown",), lambda menu: menu.jumped(PAGE))
        on(("home",), lambda menu: menu.jumped(-len(menu.choices)))
        on(("end",), lambda menu: menu.jumped(len(menu.choices)))
        if self.menu.searchable:
            on(("backspace",), lambda menu: menu.erased())
            on(("c-u", "c-w"), lambda menu: menu.erased(whole=True))

        @keys.add("enter", eager=True)
        def _(_: KeyPressEvent) -> None:
            if (choice := self.menu.at) is not None:
                self._on_choice(choice.value)

        def left(_: KeyPressEvent) -> None:
            self._on_choice(None)

        for name in ("escape", "c-c", "c-d"):
            keys.add(name, eager=name != "escape")(left)

        @keys.add(Keys.Any)
        def _(event: KeyPressEvent) -> None:
            self._typed(event.data)

        @keys.add(Keys.BracketedPaste)
        def _(event: KeyPressEvent) -> None:
            if self.menu.searchable:  # else what is pasted would answer
                self._typed(event.data)

        return keys

    def _typed(self, text: str) -> None:
        if self.menu.searchable:
            if text.isprintable() or len(text) > 1:
                self.menu = self.menu.typed(text)
            return
        if len(text) != 1:
            return
        self.menu, choice = self.menu.pressed(text)
        if choice is not None:
            self._on_choice(choice.value)
        elif text == "q":
            self._on_choice(None)
        elif text in "jk":
            self.menu = self.menu.moved(1 if text == "j" else -1)


async def choose(
    menu: Menu,
    title: str = "",
    input: Input | None = None,  # noqa: A002 - prompt_toolkit's name for it
    output: Output | None = None,
    *,
    say: Texts | None = None,
    ascii: bool = False,  # noqa: A002 - as in `render`
    interruptible: bool = False,
) -> Any:
    """Let the person choose, here and now; the chosen value, None if the menu was left. The rows vanish afterwards.

    With `interruptible`, only Esc and `q` leave it, and the rest raises `Interrupted`.
    """
    from prompt_toolkit.application import Application
    from prompt_toolkit.layout.layout import Layout
    from prompt_toolkit.styles import Style

    def decided(value: Any) -> None:
        if not app.is_done:
            app.exit(result=value)

    view = MenuView(menu, decided, title=title, say=say, ascii=ascii)
    app: Application[Any] = Application(
        layout=Layout(view.container),
        key_bindings=_with_way_out(view.key_bindings, interruptible=interruptible),
        style=Style.from_dict(STYLE),
        erase_when_done=True,
        input=input,
        output=output or quiet_output(),
    )
    return await _run(app, interruptible=interruptible)


async def ask_text(
    question: str,
    *,
    secret: bool = False,
    default: str = "",
    input: Input | None = None,  # noqa: A002 - prompt_toolkit's name for it
    output: Output | None = None,
    say: Texts | None = None,
    interruptible: bool = False,
) -> str | None:
    """Ask for one line; None if that was left with Esc, Ctrl-C or Ctrl-D. Of a secret only bullets are seen.

    With `interruptible`, only Esc leaves it, and the rest raises `Interrupted`.
    """
    from prompt_toolkit.application import Application
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.document import Document
    from prompt_toolkit.key_binding import KeyBindings, merge_key_bindings
    from prompt_toolkit.key_binding.defaults import load_key_bindings
    from prompt_toolkit.layout.containers import HSplit, Window
    from prompt_toolkit.layout.controls import BufferControl
    from prompt_toolkit.layout.layout import Layout
    from prompt_toolkit.layout.processors import BeforeInput, PasswordProcessor, Processor
    from prompt_toolkit.styles import Style

    buffer = Buffer(document=Document(default), multiline=False)
    bullets: list[Processor] = [PasswordProcessor("•")] if secret else []
    control = BufferControl(buffer, input_processors=[*bullets, BeforeInput("> ")])
    body = HSplit(
        [
            Window(_prose("menu.title", question), dont_extend_height=True),
            Window(control, dont_extend_height=True, wrap_lines=True),
            *([Window(_prose("menu.hint", say("menu.hint_text")), dont_extend_height=True)] if say else []),
        ]
    )
    keys = KeyBindings()

    def done(_: KeyPressEvent) -> None:
        app.exit(result=buffer.text)

    def left(_: KeyPressEvent) -> None:
        app.exit(result=None)

    keys.add("enter", eager=True)(done)
    for name in ("escape", "c-c", "c-d"):
        keys.add(name, eager=name != "escape")(left)
    app: Application[str | None] = Application(
        layout=Layout(body, focused_element=control),
        key_bindings=_with_way_out(merge_key_bindings([load_key_bindings(), keys]), interruptible=interruptible),
        style=Style.from_dict(STYLE),
        erase_when_done=True,
        input=input,
        output=output or quiet_output(),
    )
    return await _run(app, interruptible=interruptible)


def _prose(style: str, text: str) -> FormattedTextControl:
    """Text that is broken between words, whatever the width is."""
    from prompt_toolkit.application import get_app
    from prompt_toolkit.layout.controls import FormattedTextControl

    def fragments() -> StyleAndTextTuples:
        return [(f"class:{style}", "\n".join(_broken(text, max(1, get_app().output.get_size().columns))))]

    return FormattedTextControl(fragments, show_cursor=False)


def _broken(text: str, width: int) -> list[str]:
    return [piece for line in text.split("\n") for piece in wrapped(line, width)] if text else []


def _with_way_out(bindings: KeyBindingsBase, *, interruptible: bool) -> KeyBindingsBase:
    """Keys that leave not only this question."""
    from prompt_toolkit.key_binding import KeyBindings, merge_key_bindings

    if not interruptible:
        return bindings
    keys = KeyBindings()

    def out(event: KeyPressEvent) -> None:
        event.app.exit(exception=Interrupted())

    for name in ("c-c", "c-d"):
        keys.add(name, eager=True)(out)
    return merge_key_bindings([bindings, keys])


async def _run(app: Application[Any], *, interruptible: bool) -> Any:
    """The application's result. The end of its input leaves it."""
    app.ttimeoutlen = 0.05
    app.timeoutlen = 0.25
    try:
        return await app.run_async(handle_sigint=False, set_exception_handler=False)
    except EOFError as error:
        if interruptible:
            raise Interrupted from error
        return None


def quiet_output() -> Output:
    """The terminal, never asked where its cursor is: the answer would come in between what is typed."""
    import os
    import sys

    from prompt_toolkit.data_structures import Size
    from prompt_toolkit.output import create_output
    from prompt_toolkit.output.vt100 import Vt100_Output

    if os.name == "nt" or not sys.stdout.isatty():
        return create_output()

    def size() -> Size:
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
        return Size(rows=rows or 24, columns=columns or 80)

    return Vt100_Output(sys.stdout, size, term=os.environ.get("TERM"), enable_cpr=False)
