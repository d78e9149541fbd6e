"""A past conversation as a document: Markdown or one self-contained HTML page. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from helloclaw.agent.living import living_events
from helloclaw.i18n import Texts
from helloclaw.protocol import events
from helloclaw.protocol.events import Event
from helloclaw.wording.failure import failure_text
from helloclaw.wording.lines import summary
from helloclaw.wording.reasons import denial_text

_OUTPUT_LIMIT = 2000
_STYLE = (
    "body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:.85rem;color:#777;margin:0}"
    "section{margin:1.4rem 0;overflow-wrap:anywhere}.user p,.note p{white-space:pre-wrap}"
    "code{background:#f4f4f4;border-radius:3px;padding:.1em .3em}pre code{padding:0}"
    "table{border-collapse:collapse;display:block;overflow:auto}td,th{border:1px solid #ccc;padding:.3rem .6rem}"
    "blockquote{margin-left:0;border-left:3px solid #ccc;padding-left:1rem;color:#555}"
    "section.user{border-left:3px solid #888;padding-left:1rem}details{margin:.6rem 0;color:#555}"
    "pre{background:#f4f4f4;padding:.6rem;overflow:auto;white-space:pre-wrap}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}pre,code{background:#242424}details{color:#aaa}"
    "td,th{border-color:#444}a{color:#8ab4f8}}"
)


class Entry(NamedTuple):
    """One thing that was said or done. `body` is the text; for a tool its output."""

    kind: Literal["user", "assistant", "tool", "note"]
    heading: str
    body: str


def entries(past: Sequence[Event], say: Texts) -> list[Entry]:
    """What a reader wants of a session, in order, without what was taken back. A tool's output is cut after 2,000
    characters.
    """
    calls: dict[str, str] = {}
    found: list[Entry] = []
    for event in living_events(past):
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
    for entry in entries(list(past), say):
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
    """A page that loads nothing and runs nothing, whatever the conversation contains. Answers are shown as Markdown."""
    past = list(past)
    parts: list[str] = []
    for entry in entries(past, say):
        heading = html.escape(entry.heading)
        match entry.kind:
            case "tool":
                body = html.escape(entry.body)
                parts.append(f"<details><summary>{heading}</summary><pre>{body}</pre></details>")
            case "assistant":
                parts.append(f'<section class="assistant"><h2>{heading}</h2>{_rendered(entry.body)}</section>')
            case "user" | "note":
                body = f"<p>{html.escape(entry.body)}</p>"
                parts.append(f'<section class="{entry.kind}"><h2>{heading}</h2>{body}</section>')
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    title = html.escape(_title(past))
    return (
        f'<!doctype html>\n<html lang="{say.lang}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><meta name="referrer" content="no-referrer">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title><style>{_STYLE}</style></head>\n'
        f"<body>\n<h1>{title}</h1>\n{chr(10).join(parts)}\n</body></html>\n"
    )


def _rendered(text: str) -> str:
    """Markdown as HTML: none of the text's own, no pictures from elsewhere, links only to the web or to mail."""
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    renderer.validateLink = lambda url: url.lower().startswith(("https://", "http://", "mailto:", "#"))  # type: ignore[method-assign] - how the library is told
    return renderer.render(text).replace('<a href="', '<a rel="noopener noreferrer" href="')


def _title(past: Iterable[Event]) -> str:
    """The name the person gave, else the first words said."""
    named, first = "", ""
    for event in past:
        match event:
            case events.SessionUpdated(title=str(title)):
                named = title
            case events.UserMessage(source="user", text=text) if text and not first:
                first = " ".join(text.split())[:80]
            case _:
                pass
    return named or first or "HelloClaw"


def _cut(text: str, say: Texts) -> str:
    if len(text) <= _OUTPUT_LIMIT:
        return text
    return f"{text[:_OUTPUT_LIMIT]}\n{say('transcript.cut', count=len(text) - _OUTPUT_LIMIT)}"


def _fence(body: str) -> str:
    """A fence longer than any in the body (CommonMark 4.5)."""
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    return "`" * max(3, longest + 1)
