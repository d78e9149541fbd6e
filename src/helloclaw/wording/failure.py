"""What the core says in English, in the person's language: told by an error's kind or a notice's code."""

from __future__ import annotations

from helloclaw.i18n import Texts
from helloclaw.protocol.events import ErrorEvent, Notice
from helloclaw.wording.plain import one_line, sentences

_BY_KIND = {
    "connect": "failure.connect",
    "tls": "failure.tls",
    "timeout": "failure.timeout",
    "rate_limit": "failure.rate_limit",
    "overloaded": "failure.overloaded",
    "server": "failure.server",
    "interrupted": "failure.interrupted",
    "overflow": "failure.overflow",
    "auth": "failure.auth",
    "quota": "failure.quota",
    "not_found": "failure.not_found",
    "bad_request": "failure.bad_request",
    "not_an_api": "failure.not_an_api",
    "protocol": "failure.protocol",
    "unavailable": "failure.unavailable",
    "storage": "failure.storage",
}

_BY_CODE = {
    "cost_limit": "notice.cost_limit",
    "step_limit": "notice.step_limit",
    "denials": "notice.denials",
}


def failure_text(event: ErrorEvent, say: Texts) -> str:
    """In English the core's own words; elsewhere what they mean, with them in brackets as the detail."""
    detail = one_line(sentences(event.message, event.hint))
    key = _BY_KIND.get(event.kind)
    return say(key, text=detail) if key else detail


def notice_text(event: Notice, say: Texts) -> str:
    key = _BY_CODE.get(event.code)
    return say(key, **event.values) if key else one_line(event.text)
