"""One session after the other: what is wanted next is opened, and what can't be opened costs nobody the one before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from helloclaw.repl.options import ReplOptions, Wish

if TYPE_CHECKING:
    from helloclaw.agent.session import Session

Hold = Callable[["Session", Wish], Awaitable[Wish | None]]


async def hold_sessions(options: ReplOptions, first: Wish, hold: Hold, failed: Callable[[Exception], None]) -> None:
    """`hold` keeps a session until the next one is wanted, None to leave; `failed` hears why one could not be opened.

    Raises what opening the first session raises, and whatever `hold` does.
    """
    wish: Wish | None = first
    before: str | None = None
    while wish is not None:
        opening = options.open(wish)
        try:
            session = await opening.__aenter__()
        except Exception as error:
            if before is None:
                raise
            failed(error)
            # One in which nothing was said has left no file to come back to.
            wish, before = Wish(before) if options.exists(before) else Wish(), None
            continue
        before = session.id
        try:
            wish = await hold(session, wish)
        finally:
            await opening.__aexit__(None, None, None)
