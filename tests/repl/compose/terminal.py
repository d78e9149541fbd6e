"""A composer in an application without a terminal: bytes in as a person's keys, and what came of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.layout import Layout
from prompt_toolkit.output import DummyOutput

from helloclaw.i18n import texts
from helloclaw.repl.compose.composer import CommandHelp, Composed, Composer
from helloclaw.storage.paths import Home

UP, DOWN, RIGHT, LEFT, HOME, END = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"
ENTER, TAB, BACKSPACE, DELETE = "\r", "\t", "\x7f", "\x1b[3~"

COMMANDS = (
    CommandHelp("help", "", "what there is", takes_argument=False),
    CommandHelp("mode", "[default|plan|auto]", "the permission mode", True, lambda: ["default", "plan", "auto"]),
    CommandHelp("model", "NAME", "the model", True, None),
    CommandHelp("compact", "", "compact the conversation", takes_argument=False),
)


class _Screen(DummyOutput):
    def get_size(self) -> Size:
        return Size(rows=30, columns=40)


class Typing:
    """`await typing.keys("hi\\r")` returns when the composer has acted on them."""

    def __init__(
        self,
        app: Application[None],
        source: PipeInput,
        composer: Composer,
        submitted: list[Composed],
        notices: list[str],
    ) -> None:
        self.app = app
        self.composer = composer
        self.submitted = submitted
        self.notices = notices
        self._source = source

    @property
    def text(self) -> str:
        return self.composer.buffer.text

    @property
    def cursor(self) -> int:
        return self.composer.buffer.cursor_position

    async def keys(self, keys: str | bytes) -> None:
        """Send keys, and wait until they were read and every coroutine that they started has had its turn."""
        read = asyncio.Event()
        before = self.app.key_processor.after_key_press

        def pressed(_: object) -> None:
            read.set()

        before += pressed
        self._source.send_bytes(keys if isinstance(keys, bytes) else keys.encode("utf-8", "surrogatepass"))
        await asyncio.wait_for(read.wait(), 10)
        before -= pressed
        await self.composer.settled()

    async def raw(self, data: bytes) -> None:
        """Send bytes that need not make up a key. In a thread, since a full pipe blocks until the application reads."""
        await asyncio.to_thread(self._source.send_bytes, data)

    async def until(self, true: Callable[[], object]) -> None:
        """Wait for what happens by itself, such as a listing that arrives."""
        async with asyncio.timeout(10):
            while not true():
                await asyncio.sleep(0.001)

    async def offered(self) -> list[str]:
        """What the menu shows, once it shows something."""
        await self.until(self._menu)
        return self._menu()

    def _menu(self) -> list[str]:
        state = self.composer.buffer.complete_state
        return [completion.display_text for completion in state.completions] if state else []


@asynccontextmanager
async def typing(
    place: Path,
    *,
    editing: Literal["emacs", "vi"] = "emacs",
    lang: Literal["en", "zh"] = "en",
    commands: Sequence[CommandHelp] = COMMANDS,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Typing]:
    """`place/work` is the working directory, `place/home` the product's home."""
    work = place / "work"
    work.mkdir(exist_ok=True)
    with create_pipe_input() as source, create_app_session(input=source, output=_Screen()):
        submitted: list[Composed] = []
        notices: list[str] = []
        composer = Composer(
            Home(place / "home"),
            lambda: work,
            lambda: commands,
            texts(lang),
            editing,
            submitted.append,
            environ or {},
            notify=notices.append,
        )
        app: Application[None] = Application(
            layout=Layout(composer.container, focused_element=composer.window), editing_mode=composer.editing_mode
        )
        app.ttimeoutlen = app.timeoutlen = 0.01
        made = Typing(app, source, composer, submitted, notices)
        running = asyncio.create_task(app.run_async())
        await made.until(lambda: app.is_running and app.render_counter)
        try:
            yield made
        finally:
            app.exit()
            await running
