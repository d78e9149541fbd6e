"""Learn known URLs from a session's events, and learn them again from its journal when it is resumed.

Only what a person typed and what web tools found counts. The model's own words never do: it could put into a URL
whatever it has read.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from helloclaw.protocol.events import Event, ToolEnd, UserMessage
from helloclaw.tools.web.known import KnownUrls

_TYPED = b'{"type":"user_message"'
_ENDED = b'{"type":"tool_end"'
_OF_THE_WEB = (b'"name":"web_fetch"', b'"name":"web_search"')
_HEAD_BYTES = 1000


def learn(event: Event, known: KnownUrls) -> None:
    """What a live event adds. What tools find they add themselves."""
    if isinstance(event, UserMessage) and event.source == "user":
        known.add(event.text)


def recall(journal: Path, known: KnownUrls) -> None:
    """What the journal of a resumed session adds. A line that can't be read adds nothing. Raises `OSError`."""
    with journal.open("rb") as lines:
        for line in lines:
            with contextlib.suppress(msgspec.MsgspecError):
                if line.startswith(_TYPED):
                    learn(msgspec.json.decode(line, type=UserMessage), known)
                elif line.startswith(_ENDED) and any(name in line[:_HEAD_BYTES] for name in _OF_THE_WEB):
                    _relearn(msgspec.json.decode(line, type=ToolEnd), known)


def _relearn(ended: ToolEnd, known: KnownUrls) -> None:
    """The URLs in an old result. Its first line is about the call, which was the model's: it counts for a page, which
    was permitted to be fetched, but not for a search.
    """
    if ended.error is not None:
        return
    match ended.name:
        case "web_fetch":
            known.add(ended.output)
        case "web_search":
            lines = ended.output.splitlines()[1:]
            known.add_urls(line.strip() for line in lines if line.startswith("   http"))
        case _:
            pass
