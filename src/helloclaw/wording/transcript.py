"""A past conversation as a document: what of it a reader wants, and that as Markdown. Pure but for the time zone.

The HTML of it is in `wording.page`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from helloclaw.agent.living import living_events
from helloclaw.i18n import Texts
from helloclaw.llm.messages import ImageBlock
from helloclaw.protocol import events
from helloclaw.protocol.events import Event
from helloclaw.wording.failure import failure_text
from helloclaw.wording.lines import summary
from helloclaw.wording.markdown import fenced, literal
from helloclaw.wording.plain import one_line, visible
from helloclaw.wording.reasons import denial_text

_OUTPUT_LIMIT = 2000
_TITLE_LIMIT = 80


class Entry(NamedTuple):
    """One thing that was said or done. `body` is the text, Markdown if it is the model's; for a tool its output.

    `command` is a tool's whole command, where the heading has no room for it, `diff` what it changed in a file.
    """

    kind: Literal["user", "assistant", "tool", "note", "rule"]
    heading: str
    body: str
    images: tuple[ImageBlock, ...] = ()
    command: str = ""
    diff: str = ""
    failed: bool = False


class Facts(NamedTuple):
    """What a document says of itself. `begun` is in seconds since 1970, 0 where nobody knows; tokens are of the session
    since they were last reset.
    """

    title: str
    begun: float
    models: tuple[str, ...]
    tokens_in: int
    tokens_out: int
    cost_usd: float | None

    @property
    def day(self) -> str:
        """In the reader's own time zone: `2026-01-31 17:05`."""
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(self.begun)) if self.begun else ""

    def row(self, say: Texts) -> str:
        tokens = ""
        if self.tokens_in or self.tokens_out:
            tokens = say("transcript.tokens", input=f"{self.tokens_in:,}", output=f"{self.tokens_out:,}")
        cost = "" if self.cost_usd is None else f"${self.cost_usd:.4f}"
        models = say("list.comma").join(self.models)
        return " · ".join(filter(None, (self.day, models, tokens, cost)))


def entries(past: Sequence[Event], say: Texts) -> list[Entry]:
    """What a reader wants of a session, in order, without what was taken back. A tool's output is cut after 2,000
    characters. Nothing in it is hidden or steers a terminal.
    """
    calls: dict[str, events.ToolUse] = {}
    found: list[Entry] = []
    for event in living_events(past):
        match event:
            case events.UserMessage(source="user"):
                found.append(Entry("user", say("transcript.user"), visible(event.text), event.images))
            case events.UserMessage():
                found.append(Entry("note", say("transcript.program"), visible(event.text), event.images))
            case events.AssistantEnd() if event.text.strip():
                found.append(Entry("assistant", say("transcript.assistant"), visible(event.text)))
            case events.ToolUse():
                calls[event.id] = event
            case events.ToolEnd() | events.ToolDenied():
                found.append(_call(event, calls.get(event.id), say))
            case events.ErrorEvent():
                found.append(Entry("note", say("transcript.error"), failure_text(event, say)))
            case events.Compacted():
                found.append(Entry("note", say("transcript.compacted"), visible(event.summary)))
            case events.MemorySaved() if event.notes:
                found.append(Entry("note", say("transcript.remembered"), visible("\n".join(event.notes))))
            case events.Cleared(conversation=True):
                found.append(Entry("rule", say("transcript.cleared"), ""))
            case _:
                pass
    return found


def facts(past: Iterable[Event]) -> Facts:
    """A name stays when what came before it is taken back, and what was paid is paid."""
    past = list(past)
    alive = living_events(past)
    named = next((each.title for each in reversed(past) if isinstance(each, events.SessionUpdated) and each.title), "")
    said = (each.text for each in alive if isinstance(each, events.UserMessage) and each.source == "user")
    first = next((one_line(text, _TITLE_LIMIT) for text in said if text.strip()), "")
    models = dict.fromkeys(one_line(each.model) for each in alive if isinstance(each, events.AssistantEnd))
    used = next((each for each in reversed(past) if isinstance(each, events.UsageEvent)), None)
    total = used.total if used else None
    return Facts(
        title=one_line(named or "", 200) or first or "HelloClaw",
        begun=next((each.ts for each in past if each.ts), 0.0),
        models=tuple(name for name in models if name),
        tokens_in=total.input + total.cache_read + total.cache_write if total else 0,
        tokens_out=total.output if total else 0,
        cost_usd=used.cost_usd if used else None,
    )


def as_markdown(past: Iterable[Event], say: Texts, *, titled: bool = False) -> str:
    """What was said and done; `titled` with the title, the day, the models and the cost above it."""
    past = list(past)
    parts = [_markdown(entry, say) for entry in entries(past, say)]
    if parts and titled:
        about = facts(past)
        parts = [*filter(None, (f"# {literal(about.title)}", literal(about.row(say)))), *parts]
    return "\n\n".join(parts) + "\n" if parts else ""


def as_jsonl(past: Iterable[Event], _: Texts) -> str:
    """Every event as it was journalled, one a line."""
    import msgspec

    return "".join(f"{msgspec.json.encode(event).decode()}\n" for event in past)


def as_html(past: Iterable[Event], say: Texts) -> str:
    """A page that loads nothing and runs nothing, whatever the conversation contains."""
    from helloclaw.wording.page import page

    past = list(past)
    return page(facts(past), entries(past, say), say)


def _call(end: events.ToolEnd | events.ToolDenied, use: events.ToolUse | None, say: Texts) -> Entry:
    call = summary(use.name, use.input) if use else one_line(end.name, 64)
    command = use.input.get("command") if use else None
    whole = visible(command) if isinstance(command, str) and not _is_all_in(call, command) else ""
    if isinstance(end, events.ToolDenied):
        heading = say("line.denied", call=call, reason="").rstrip(" :：")
        return Entry("tool", heading, visible(denial_text(end, say)), command=whole, failed=True)
    output, diff = _cut(visible(end.output), say), visible(end.diff or "").rstrip("\n")
    return Entry("tool", call, output, end.images, whole, diff, failed=end.error is not None)


def _is_all_in(call: str, command: str) -> bool:
    return "\n" not in command.strip() and one_line(command) in call


def _markdown(entry: Entry, say: Texts) -> str:
    pictures = [f"*{say('transcript.image', kind=literal(image.media_type))}*" for image in entry.images]
    match entry.kind:
        case "rule":
            return f"---\n\n*{entry.heading}*"
        case "tool":
            command = fenced(entry.command, "bash") if entry.command else ""
            diff = fenced(entry.diff, "diff") if entry.diff else ""
            heading = f"**{literal(entry.heading)}**"
            return "\n\n".join((heading, *filter(None, (command, diff)), fenced(entry.body), *pictures))
        case _:
            return "\n\n".join(filter(None, (f"## {entry.heading}", entry.body, *pictures)))


def _cut(text: str, say: Texts) -> str:
    if len(text) <= _OUTPUT_LIMIT:
        return text
    return f"{text[:_OUTPUT_LIMIT]}\n{say('transcript.cut', count=len(text) - _OUTPUT_LIMIT)}"
