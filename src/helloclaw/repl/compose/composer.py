"""The input line of the terminal: its text, keys and look put together for a prompt_toolkit application.

The application, its layout, and the keys that are more than input (Escape, Ctrl-C, Ctrl-D) are the screen's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from prompt_toolkit.application.current import get_app
from prompt_toolkit.application.run_in_terminal import run_in_terminal
from prompt_toolkit.auto_suggest import AutoSuggest, Suggestion
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding.vi_state import InputMode
from prompt_toolkit.layout.containers import HSplit, Window
from prompt_toolkit.layout.controls import BufferControl
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.processors import AppendAutoSuggestion
from prompt_toolkit.widgets import SearchToolbar

from helloclaw.i18n import Texts
from helloclaw.repl.compose import editor, keys, mentions, paste
from helloclaw.repl.compose.completion import Complete, wants_completion
from helloclaw.repl.compose.history import FileHistory
from helloclaw.repl.compose.shapes import CommandHelp, Composed
from helloclaw.repl.compose.shell_line import command_of
from helloclaw.storage.paths import Home

__all__ = ["CommandHelp", "Composed", "Composer"]

MARK = "❯ "
_CONTINUED = "  "
_LEAST_ROWS = 3


class Composer:
    """`on_submit` gets what Enter submits, in order; `notify` what the person should know, such as a failed editor.

    `mark_style` is asked at each repaint for the style of the prompt mark. Make it before the application reads a key,
    and run the application with `editing_mode=composer.editing_mode`.
    """

    def __init__(
        self,
        home: Home,
        workdir: Callable[[], Path],
        commands: Callable[[], Sequence[CommandHelp]],
        say: Texts,
        editing: Literal["emacs", "vi"],
        on_submit: Callable[[Composed], None],
        environ: Mapping[str, str],
        *,
        notify: Callable[[str], None] = lambda _: None,
        mark_style: Callable[[], str] = lambda: "class:prompt",
    ) -> None:
        self._workdir = workdir
        self._commands = commands
        self._say = say
        self._on_submit = on_submit
        self._environ = environ
        self._notify = notify
        self._mark_style = mark_style
        self._pastes = paste.Pastes(say)
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_delivery: asyncio.Task[None] | None = None
        self._before = ("", 0, 0)
        keys.teach_modified_enter()
        self.editing_mode = EditingMode.VI if editing == "vi" else EditingMode.EMACS
        self.history = FileHistory(home.history)
        self.buffer = Buffer(
            name="composer",
            multiline=True,
            history=self.history,
            completer=Complete(workdir, commands, environ, self._completed),
            complete_while_typing=Condition(self._wants_completion),
            auto_suggest=_HistorySuggest(self.history),
            enable_history_search=True,
            on_text_changed=self._text_changed,
            on_cursor_position_changed=self._cursor_moved,
        )
        self.key_bindings = keys.bindings(self)
        self._search = SearchToolbar(
            vi_mode=editing == "vi",
            forward_search_prompt=say("compose.search.forward"),
            backward_search_prompt=say("compose.search.backward"),
        )
        self.control = BufferControl(
            buffer=self.buffer,
            input_processors=[AppendAutoSuggestion()],
            search_buffer_control=self._search.control,
            preview_search=True,
            key_bindings=self.key_bindings,
        )
        self.window = Window(
            self.control, height=_height, wrap_lines=True, dont_extend_height=True, get_line_prefix=self._prefix
        )
        self.container = HSplit([self.window, self._search])

    # ── for the screen ──

    @property
    def text(self) -> str:
        """What would be submitted now, pastes in full."""
        return self._pastes.expand(self.buffer.text)

    def set_text(self, text: str) -> None:
        """Have `text` in the input line, the cursor at its end."""
        self._replace(text)

    def clear(self) -> str:
        """Empty the input line. What was there is returned and goes into the history."""
        text = self.text
        if text.strip():
            self.history.append_string(text)
        self._replace("")
        self.buffer.reset()
        get_app().vi_state.input_mode = InputMode.INSERT
        self._pastes = paste.Pastes(self._say)
        return text

    async def settled(self) -> None:
        """Wait until all that was submitted has reached `on_submit`, and an editor is closed."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    # ── for the keys ──

    def submit(self) -> None:
        if not self.buffer.text.strip():
            return
        shown = self.buffer.text
        typed = self._pastes.without(shown)
        text = self.clear()
        if shell := command_of(text):
            self._deliver(Composed(text=text, shell=shell))
        elif mentions.may_mention(shown) or self._last_delivery:
            composed = Composed(text=text, typed=typed)
            self._last_delivery = self._start(self._gather(shown, composed, self._last_delivery))
        else:
            self._deliver(Composed(text=text, typed=typed))

    def complete(self) -> None:
        buffer = self.buffer
        if state := buffer.complete_state:
            buffer.complete_next()
            if len(state.completions) == 1:
                self._close_menu()
        elif buffer.suggestion and buffer.suggestion.text and buffer.document.is_cursor_at_the_end:
            buffer.insert_text(buffer.suggestion.text)
        else:
            buffer.start_completion(select_first=True)

    def choosing(self) -> bool:
        state = self.buffer.complete_state
        return state is not None and state.current_completion is not None

    def take_choice(self) -> None:
        """Keep the chosen completion; a command that wants no argument is complete and goes off."""
        self._close_menu()
        whole = {f"/{command.name}" for command in self._commands() if not command.takes_argument}
        if self.buffer.text in whole:
            self.submit()

    def ends_with_backslash(self) -> bool:
        document = self.buffer.document
        return document.is_cursor_at_the_end and document.char_before_cursor == "\\"

    def paste(self, data: str) -> None:
        text = paste.cleaned(data)
        if image := paste.image_path(text, self._workdir()):
            self.buffer.insert_text(paste.mention(image) + " ")
        elif label := self._pastes.before(self.buffer.document.text_before_cursor, text):
            self.buffer.delete_before_cursor(len(label))
            self.buffer.insert_text(text, fire_event=False)
        else:
            shown = self._pastes.add(text) if paste.is_long(text) else text
            self.buffer.insert_text(shown, fire_event=False)

    def edit_externally(self) -> None:
        self._start(self._edit())

    async def edit(self) -> str | None:
        """Have the text edited in the person's editor; what to tell them when that failed and nothing changed."""
        try:
            command = editor.editor_command(self._environ)
            text = self.text
            edited = await run_in_terminal(lambda: editor.edit(text, command, self._environ), in_executor=True)
        except editor.EditorFailed as error:
            return self._say.say(error.phrase)
        self._replace(edited)
        return None

    # ── within ──

    def _close_menu(self) -> None:
        """Take what is chosen; in a directory, the menu goes on with what is there."""
        self.buffer.complete_state = None
        if self.buffer.document.char_before_cursor == "/" and self._wants_completion():
            self.buffer.start_completion()

    async def _edit(self) -> None:
        if notice := await self.edit():
            self._notify(notice)

    async def _gather(self, shown: str, composed: Composed, previous: asyncio.Task[None] | None) -> None:
        """What a long paste seems to mention is not looked for: it is data."""
        try:
            gathered = await mentions.gather(shown, self._workdir())
        except Exception:
            self._on_submit(composed)  # whatever went wrong, what was said must not be lost
            raise
        if previous:
            await asyncio.wait([previous])
        for notice in gathered.notices:
            self._notify(self._say.say(notice))
        self._on_submit(composed._replace(context=gathered.context, images=gathered.images))

    def _deliver(self, composed: Composed) -> None:
        if self._last_delivery is None:
            self._on_submit(composed)
        else:
            self._last_delivery = self._start(self._after(self._last_delivery, composed))

    async def _after(self, previous: asyncio.Task[None], composed: Composed) -> None:
        await asyncio.wait([previous])
        self._on_submit(composed)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self._last_delivery is task:
            self._last_delivery = None

    def _replace(self, text: str) -> None:
        self._before = (text, len(text), self._place())
        self.buffer.document = Document(text, len(text))

    def _text_changed(self, buffer: Buffer) -> None:
        before, _, place = self._before
        labels = self._pastes.labels
        self._before = (buffer.text, buffer.cursor_position, self._place())
        if labels and place == self._place() and (kept := paste.whole(before, buffer.text, labels)):
            self._before = (*kept, place)
            buffer.document = Document(*kept)
        elif len(buffer.text) < len(before) and self._wants_completion():
            buffer.start_completion()

    def _cursor_moved(self, buffer: Buffer) -> None:
        at = buffer.cursor_position
        if labels := self._pastes.labels:
            at = paste.outside(buffer.text, at, self._before[1], labels)
        self._before = (buffer.text, at, self._place())
        if at != buffer.cursor_position:
            buffer.cursor_position = at

    def _completed(self, before: str) -> None:
        """Ask again if the text went on to something else meanwhile."""
        moved_on = self.buffer.document.text_before_cursor != before
        if moved_on and not self.buffer.complete_state and self._wants_completion():
            self.buffer.start_completion()

    def _place(self) -> int:
        """Which entry of the history is in the buffer: the same number until the person moves to another one."""
        return self.buffer.working_index - self.history.given

    def _wants_completion(self) -> bool:
        return wants_completion(self.buffer.document.text_before_cursor)

    def _prefix(self, line: int, wrapped: int) -> StyleAndTextTuples:
        if line == 0 and wrapped == 0:
            return [(self._mark_style(), MARK)]
        return [("", _CONTINUED)]


class _HistorySuggest(AutoSuggest):
    """The rest of the latest line in the history that begins like the text."""

    def __init__(self, history: FileHistory) -> None:
        self._history = history

    def get_suggestion(self, buffer: Buffer, document: Document) -> Suggestion | None:  # noqa: ARG002 - its interface
        if not document.text.strip() or not document.is_cursor_at_the_end:
            return None
        past = self._history.latest_with(document.text)
        rest = past[len(document.text) :].partition("\n")[0] if past else ""
        return Suggestion(rest) if rest else None


def _height() -> Dimension:
    rows = get_app().output.get_size().rows
    return Dimension(min=1, max=max(_LEAST_ROWS, rows // 3))
