"""What the core says in English, in the person's language: told by a code and its values, or by an error's kind."""

from __future__ import annotations

from helloclaw.i18n import Texts, phrase_of
from helloclaw.llm.events import Failed
from helloclaw.protocol.events import ErrorEvent, LlmFallback, LlmRetry, Notice, Status
from helloclaw.wording.plain import one_line, sentences


def failure_text(event: ErrorEvent | Failed, say: Texts) -> str:
    """In English the core's own words; elsewhere what they mean, with names and others' words in brackets."""
    if say.lang == "en":
        return one_line(sentences(event.message, event.hint))
    if event.code in say:
        return one_line(say.say(phrase_of(event.code, event.values)))
    key = f"failure.{event.kind}"
    if key not in say:
        return one_line(sentences(event.message, event.hint))
    return one_line(say("failure.with_detail", text=say(key), detail=event.detail) if event.detail else say(key))


def retry_text(event: LlmRetry | LlmFallback, say: Texts) -> str:
    """Why a model is called again, or another in its place."""
    key = f"retry.{event.kind}" if isinstance(event, LlmRetry) else ""
    if say.lang == "en":
        return one_line(event.message)
    if key not in say:
        return one_line(event.detail or event.message)
    return one_line(say("failure.with_detail", text=say(key), detail=event.detail) if event.detail else say(key))


def notice_text(event: Notice | Status, say: Texts) -> str:
    """A notice, or what takes long."""
    if say.lang == "en":
        return one_line(event.text)
    key = event.code if event.code in say else f"notice.{event.code}"
    return one_line(say.say(phrase_of(key, event.values)) if key in say else event.text)
