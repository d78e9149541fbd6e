"""The keys of the input line beyond those of prompt_toolkit: submit, new lines, completion, suggestion, editor, paste.

Escape alone, Ctrl-C and Ctrl-D are the screen's.
"""

from __future__ import annotations

from typing import Protocol

from prompt_toolkit.application.current import get_app
from prompt_toolkit.filters import Condition
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.key_binding.key_bindings import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys

# Enter with Shift, Alt or Ctrl, as terminals report it that tell them apart: CSI u (fixterms, kitty), and xterm's
# modifyOtherKeys. They arrive as Alt-Enter does.
_MODIFIED_ENTER = tuple(f"\x1b[13;{modifier}u" for modifier in (2, 3, 4, 5, 6)) + tuple(
    f"\x1b[27;{modifier};13~" for modifier in (2, 3, 4, 5, 6)
)


class Composing(Protocol):
    """What the keys act on."""

    def submit(self) -> None: ...
    def complete(self) -> None: ...
    def paste(self, data: str) -> None: ...
    def edit_externally(self) -> None: ...
    def ends_with_backslash(self) -> bool: ...
    def choosing(self) -> bool: ...
    def take_choice(self) -> None: ...


def teach_modified_enter() -> None:
    """Have prompt_toolkit's parser know the sequences, which its table has as plain Enter or not at all."""
    for sequence in _MODIFIED_ENTER:
        ANSI_SEQUENCES[sequence] = (Keys.Escape, Keys.ControlM)


def bindings(composing: Composing) -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter", filter=Condition(composing.ends_with_backslash))
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.delete_before_cursor(1)
        event.current_buffer.insert_text("\n", fire_event=False)

    @keys.add("enter", filter=~Condition(composing.ends_with_backslash))
    def _(_: KeyPressEvent) -> None:
        if composing.choosing():
            composing.take_choice()
        else:
            composing.submit()

    @keys.add("escape", "enter")
    @keys.add("c-j")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n", fire_event=False)

    @keys.add("tab")
    def _(_: KeyPressEvent) -> None:
        composing.complete()

    @keys.add("c-x", "c-e")
    @keys.add("c-g")
    def _(_: KeyPressEvent) -> None:
        composing.edit_externally()

    @keys.add(Keys.BracketedPaste)
    def _(event: KeyPressEvent) -> None:
        composing.paste(event.data)

    @keys.add("right", filter=Condition(_suggested))
    @keys.add("c-e", filter=Condition(_suggested))
    @keys.add("c-f", filter=Condition(_suggested))
    @keys.add("end", filter=Condition(_suggested))
    def _(event: KeyPressEvent) -> None:
        if suggestion := event.current_buffer.suggestion:
            event.current_buffer.insert_text(suggestion.text)

    return keys


def _suggested() -> bool:
    buffer = get_app().current_buffer
    return bool(buffer.suggestion and buffer.suggestion.text) and buffer.document.is_cursor_at_the_end
