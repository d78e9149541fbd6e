"""One line asked for in the place of the input line, such as why a call was denied."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.layout.containers import HSplit, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.processors import BeforeInput


class TextView:
    """`on_text` hears the line, None if the question was left."""

    def __init__(self, title: str, on_text: Callable[[str | None], None]) -> None:
        self.buffer = Buffer(multiline=False)
        self.control = BufferControl(self.buffer, input_processors=[BeforeInput("> ", style="class:prompt")])
        self.container = HSplit(
            [
                Window(FormattedTextControl([("class:question", title)]), dont_extend_height=True, wrap_lines=True),
                Window(self.control, dont_extend_height=True, wrap_lines=True),
            ]
        )
        keys = KeyBindings()

        def done(_: KeyPressEvent) -> None:
            on_text(self.buffer.text)

        def left(_: KeyPressEvent) -> None:
            on_text(None)

        keys.add("enter")(done)
        for key in ("escape", "c-c", "c-d"):
            keys.add(key)(left)
        self.key_bindings = keys
