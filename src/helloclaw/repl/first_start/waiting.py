"""Something that takes a while, with a turning mark and seconds, and Esc to give it up."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from helloclaw.repl.menu import STYLE, Interrupted
from helloclaw.wording.plain import one_line
from helloclaw.wording.width import columns, padded

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent
    from prompt_toolkit.output import Output

Result = TypeVar("Result")

_FRAMES = "|/-\\"
_REPAINT_S = 0.12
_SHOWN_AFTER_S = 0.15
"""What is done sooner is not shown at all, or it would only flicker."""


class GivenUp(Exception):
    """Esc."""


async def wait_for(
    work: Coroutine[Any, Any, Result],
    text: str,
    *,
    more: Callable[[], list[str]] = list,
    source: Input | None = None,
    output: Output | None = None,
) -> Result:
    """The result of `work`, whose errors are raised. `more` are rows to show below `text`, as they come.

    Raises `GivenUp` and `Interrupted`, after `work` was cancelled.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=_SHOWN_AFTER_S)
        if not task.done():
            await _watch(task, text, more, source, output)
        return await task
    finally:
        if not task.done():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


async def _watch(
    task: asyncio.Future[Result],
    text: str,
    more: Callable[[], list[str]],
    source: Input | None,
    output: Output | None,
) -> None:
    """Returns when the task is done."""
    from prompt_toolkit.application import Application
    from prompt_toolkit.layout.containers import Window
    from prompt_toolkit.layout.controls import FormattedTextControl
    from prompt_toolkit.layout.layout import Layout
    from prompt_toolkit.styles import Style

    from helloclaw.repl.menu import quiet_output

    began = time.monotonic()

    def rows() -> StyleAndTextTuples:
        width = max(1, app.output.get_size().columns - 1)
        seconds = time.monotonic() - began
        first = f"{_FRAMES[int(seconds / _REPAINT_S) % len(_FRAMES)]} {text} {seconds:.0f} s"
        lines = [one_line(line) for line in (first, *more())]
        return [("", "\n".join(padded(line, width).rstrip() if columns(line) > width else line for line in lines))]

    app: Application[None] = Application(
        layout=Layout(Window(FormattedTextControl(rows, show_cursor=False), dont_extend_height=True)),
        key_bindings=_ways_out(),
        style=Style.from_dict(STYLE),
        erase_when_done=True,
        refresh_interval=_REPAINT_S,
        input=source,
        output=output or quiet_output(),
    )
    app.ttimeoutlen = 0.05

    def done(_: object) -> None:
        _leave(app)

    task.add_done_callback(done)
    try:
        await app.run_async(
            pre_run=lambda: _leave(app) if task.done() else None, handle_sigint=False, set_exception_handler=False
        )
    except EOFError as error:
        raise Interrupted from error
    finally:
        task.remove_done_callback(done)


def _leave(app: Application[None]) -> None:
    if app.is_running and app.future is not None and not app.future.done():
        app.exit()


def _ways_out() -> KeyBindings:
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.keys import Keys

    keys = KeyBindings()

    def ending(error: type[Exception]) -> Callable[[KeyPressEvent], None]:
        def pressed(event: KeyPressEvent) -> None:
            event.app.exit(exception=error())

        return pressed

    keys.add("escape")(ending(GivenUp))
    keys.add("c-c")(ending(Interrupted))
    keys.add("c-d")(ending(Interrupted))

    @keys.add(Keys.Any)
    def _(_: KeyPressEvent) -> None:
        """Not meant for the next question."""

    return keys
