"""A past conversation as a document: Markdown or one self-contained HTML page. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from helloclaw.i18n import Texts
from helloclaw.protocol import events
from helloclaw.protocol.events import Event
from helloclaw.wording.failure import failure_text
from helloclaw.wording.lines import summary
from helloclaw.wording.reasons import denial_text

_OUTPUT_LIMIT = 2000
_STYLE = (
    "body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "section{margin:1.2rem 0;white-space:pre-wrap;overflow-wrap:anywhere}h2{font-size:1rem}"
    "section.user{border-left:3px solid #888;padding-left:1rem}details{margin:.6rem 0;color:#555}"
    "pre{background:#f4f4f4;padding:.6rem;overflow:auto;white-space:pre-wrap}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}pre{background:#242424}details{color:#aaa}}"
)


class Entry(NamedTuple):
    """One thing that was said or done. `body` is the text; for a tool its output."""

    kind: Literal["user", "assistant", "tool", "note"]
    heading: str
    body: str


def entries(past: Iterable[Event], say: Texts) -> list[Entry]:
    """What a reader wants of a session, in order. A tool's output is cut after 2,000 characters."""
    calls: dict[str, str] = {}
    found: list[Entry] = []
    for event in past:
        match event:
            case events.UserMessage(source="user"):
                found.append(Entry("user", say("transcript.user"), event.text))
            case events.UserMessage():
                found.append(Entry("note", say("transcript.program"), event.text))
            case events.AssistantEnd() if event.text.strip():
                found.append(Entry("assistant", say("transcript.assistant"), event.text))
            case events.ToolUse():
                calls[event.id] = summary(event.name, event.input)
            case events.ToolEnd():
                found.append(Entry("tool", calls.get(event.id, event.name), _cut(event.output, say)))
            case events.ToolDenied():
                heading = say("line.denied", call=calls.get(event.id, event.name), reason="").rstrip(" :：")
                found.append(Entry("tool", heading, denial_text(event, say)))
            case events.ErrorEvent():
                found.append(Entry("note", say("transcript.error"), failure_text(event, say)))
            case events.Compacted():
                found.append(Entry("note", say("transcript.compacted"), event.summary))
            case _:
                pass
    return found


def as_markdown(past: Iterable[Event], say: Texts) -> str:
    parts: list[str] = []
    for entry in entries(past, say):
        if entry.kind == "tool":
            fence = _fence(entry.body)
            parts.append(f"**{entry.heading}**\n\n{fence}\n{entry.body}\n{fence}")
        else:
            parts.append(f"## {entry.heading}\n\n{entry.body}")
    return "\n\n".join(parts) + "\n" if parts else ""


def as_jsonl(past: Iterable[Event], _: Texts) -> str:
    """Every event as it was journalled, one a line."""
    import msgspec

    return "".join(f"{msgspec.json.encode(event).decode()}\n" for event in past)


def as_html(past: Iterable[Event], say: Texts) -> str:
    """A page that loads nothing and runs nothing, whatever the conversation contains."""
    parts: list[str] = []
    for entry in entries(past, say):
        heading, body = html.escape(entry.heading), html.escape(entry.body)
        if entry.kind == "tool":
            parts.append(f"<details><summary>{heading}</summary><pre>{body}</pre></details>")
        else:
            parts.append(f'<section class="{entry.kind}"><h2>{heading}</h2>{body}</section>')
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="{say.lang}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><title>HelloClaw</title><style>{_STYLE}</style></head>\n'
        f"<body>\n{chr(10).join(parts)}\n</body></html>\n"
    )


def _cut(text: str, say: Texts) -> str:
    if len(text) <= _OUTPUT_LIMIT:
        return text
    return f"{text[:_OUTPUT_LIMIT]}\n{say('transcript.cut', count=len(text) - _OUTPUT_LIMIT)}"


def _fence(body: str) -> str:
    """A fence longer than any in the body (CommonMark 4.5)."""
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    return "`" * max(3, longest + 1)
