"""Why a call was asked about or not run, in the person's language. Events carry it in English and as an id."""

from __future__ import annotations

import shlex

from helloclaw.i18n import Lang, Texts
from helloclaw.permissions import reasons
from helloclaw.protocol.events import ToolDenied, Why


def reason_text(reason: str, why: Why | None, lang: Lang) -> str:
    """A reason of permissions; as it stands in English, and where it has no id that is known here."""
    if lang == "en" or why is None or why.id not in reasons.TEXTS:
        return reason
    return reasons.Why(why.id, why.about).say(lang)


def denial_text(event: ToolDenied, say: Texts) -> str:
    """Why a call was not run; empty for a person's "no" without a word."""
    if say.lang == "en":
        return event.reason
    match event.source:
        case "timeout":
            return say("denied.timeout")
        case "hook":
            return say("denied.hook", reason=event.reason)
        case "user":
            return event.reason
        case "permission":
            told = reason_text(event.reason, event.why, say.lang)
            if event.why is None or event.rule is None:
                return told
            return say("denied.unattended", reason=told, rule=shlex.quote(event.rule))
