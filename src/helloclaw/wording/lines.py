"""One line for one event: what a person sees of the work beside the answer itself. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from helloclaw.i18n import Texts
from helloclaw.protocol import events
from helloclaw.wording.failure import failure_text, notice_text, retry_text
from helloclaw.wording.plain import one_line
from helloclaw.wording.reasons import denial_text

# The argument that says most about a call, by which it is shown; else all of them.
_TELLING = ("command", "path", "pattern", "url", "query", "prompt", "subject", "name", "expression")
_LIMIT = 120


def summary(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as a person would say it: `bash(git status)`."""
    telling = next((arguments[key] for key in _TELLING if isinstance(arguments.get(key), str)), None)
    text = telling if telling is not None else json.dumps(dict(arguments), ensure_ascii=False, default=str)
    return f"{one_line(name, 64)}({one_line(text, _LIMIT)})" if arguments else one_line(name, 64)


def schedule_text(event: events.CronFire | events.CronAutoRunDone | events.CronAutoRunError, say: Texts) -> str:
    """What happened to a schedule."""
    match event:
        case events.CronFire():
            return say("cron.fired", id=one_line(event.id, 40), prompt=one_line(event.prompt, _LIMIT))
        case events.CronAutoRunDone():
            return say("cron.ran", id=one_line(event.id, 40), text=one_line(event.text, 400))
        case events.CronAutoRunError():
            return say("cron.failed", id=one_line(event.id, 40), why=one_line(event.message, 400))


def progress_line(event: events.Event, say: Texts) -> str | None:
    """What to show while a turn runs; None for events that a line says nothing of."""
    match event:
        case events.ToolUse():
            return f"· {summary(event.name, event.input)}"
        case events.ToolEnd(error=str(error)):
            return f"  ✗ {one_line(error, _LIMIT)}"
        case events.LlmRetry():
            why = one_line(retry_text(event, say), _LIMIT)
            return say("line.retry", attempt=event.attempt, limit=event.limit, wait=f"{event.wait_s:.1f}", why=why)
        case events.LlmFallback():
            why = one_line(retry_text(event, say), _LIMIT)
            return say("line.fallback", before=event.before, after=event.after, why=why)
        case events.Compacted():
            return say("line.compacted", before=event.before_tokens, after=event.after_tokens)
        case events.MemorySaved() if event.notes:
            return "\n".join(say("line.remembered_after", note=one_line(note, _LIMIT)) for note in event.notes)
        case events.CronFire() | events.CronAutoRunDone() | events.CronAutoRunError():
            return schedule_text(event, say)
        case events.Notice(level="info"):
            return notice_text(event, say)
        case events.Status() if event.text:
            return notice_text(event, say)
        case _:
            return None


def needed_line(event: events.Event, say: Texts) -> str | None:
    """What must be said even where nobody watches: refused calls, warnings, errors."""
    match event:
        case events.ToolDenied():
            call = summary(event.name, event.input)
            reason = one_line(denial_text(event, say))
            return say("line.denied", call=call, reason=reason) if reason else say("line.refused", call=call)
        case events.Notice(level="warning"):
            return say("line.warning", text=notice_text(event, say))
        case events.Notice(code="cost_limit" | "step_limit"):
            return notice_text(event, say)
        case events.LlmRetry() | events.LlmFallback():
            return progress_line(event, say)
        case events.ErrorEvent():
            return say("line.error", text=failure_text(event, say))
        case _:
            return None
