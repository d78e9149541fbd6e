"""What a hook's end means: go on, block, ask, add to the result, or that it failed. Pure.

    exit 0  go on          exit 1  block, stderr is why          exit 2  go on, stderr goes after the result
    stdout  {"updatedInput": {…}, "additionalContext": "…", "hookSpecificOutput": {"permissionDecision": "deny|ask"}}

An answer can only tighten: a decision to allow changes nothing, and one that can't be understood is a failure.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec
from msgspec import Struct

from helloclaw.hooks.run import KEPT_BYTES, Run
from helloclaw.i18n import Phrase
from helloclaw.tools.output_text import cleaned, decode_line

SHOWN_CHARS = 8000
"""How much of what a hook says goes to the model."""

_BLOCKING = ("deny", "block")


class Answer(Struct, frozen=True, kw_only=True):
    """What a hook wants. `failed` is why there is no answer ("timed out after 30 s")."""

    blocked: str | None = None
    ask: str | None = None
    updated_input: dict[str, Any] | None = None
    context: str = ""
    failed: Phrase | None = None


class _Malformed(Exception):
    """Structured output that would change something, if only it could be understood."""


def understood(run: Run) -> Answer:
    """The answer of one run. A failure has nothing else in it."""
    said = spoken(run.stderr)
    if run.failure:
        return Answer(failed=Phrase("hooks.why.start", why=run.failure))
    match run.exit_code:
        case None:
            return Answer(failed=Phrase("hooks.why.timeout", seconds=f"{run.limit_s:g}"))
        case 1:
            return Answer(blocked=said or spoken(run.stdout) or "a hook refused it, without a reason")
        case 0 | 2:
            return _structured(run, said if run.exit_code == 2 else "")
        case code:
            return Answer(failed=_crash(code, said.partition("\n")[0][:200]))


def spoken(data: bytes) -> str:
    """Output as text for a model: decoded whatever it is, without terminal escapes, not too long."""
    lines = data[: 4 * SHOWN_CHARS].splitlines(keepends=True)
    text = cleaned("".join(decode_line(line) for line in lines)).strip()
    if len(text) <= SHOWN_CHARS and len(data) <= 4 * SHOWN_CHARS:
        return text
    return f"{text[:SHOWN_CHARS]}\n[… cut, the hook said more]"


def _structured(run: Run, said: str) -> Answer:
    try:
        members = _object(run)
        given: Any = members.get("hookSpecificOutput") or {}
        if not isinstance(given, dict):
            raise _Malformed("hookSpecificOutput is no object")
        inner = cast("dict[str, Any]", given)
        blocked, ask = _decision(members, inner)
        updated = _either("updatedInput", members, inner)
        if updated is not None and not isinstance(updated, dict):
            raise _Malformed("updatedInput is no object")
        added = _either("additionalContext", members, inner)
        if added is not None and not isinstance(added, str):
            raise _Malformed("additionalContext is no text")
    except _Malformed as error:
        return Answer(failed=Phrase("hooks.why.malformed", what=str(error)))
    context = "\n".join(part for part in (said, _bounded(added or "")) if part)
    return Answer(blocked=blocked, ask=ask, updated_input=cast("dict[str, Any] | None", updated), context=context)


def _object(run: Run) -> dict[str, Any]:
    """The object on stdout; empty where there is plain text, which hooks may print as they like."""
    text = run.stdout.removeprefix(b"\xef\xbb\xbf").strip()
    if not text.startswith(b"{"):
        return {}
    if run.cut:
        raise _Malformed(f"an object longer than {KEPT_BYTES // 1024} KB")
    try:
        return cast("dict[str, Any]", msgspec.json.decode(text))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}


def _decision(members: dict[str, Any], inner: dict[str, Any]) -> tuple[str | None, str | None]:
    """Why to block and why to ask, if so."""
    reason = inner.get("permissionDecisionReason") or members.get("reason")
    why = _bounded(reason) if isinstance(reason, str) and reason.strip() else "a hook says so, without a reason"
    decision, older = inner.get("permissionDecision"), members.get("decision")
    if decision in _BLOCKING or older in _BLOCKING:
        return why, None
    if decision == "ask" or older == "ask":
        return None, why
    if decision not in (None, "allow"):
        raise _Malformed("permissionDecision is none of deny, ask, allow")
    return None, None


def _either(key: str, members: dict[str, Any], inner: dict[str, Any]) -> Any:
    return members[key] if members.get(key) is not None else inner.get(key)


def _bounded(text: str) -> str:
    return spoken(text.encode("utf-8", "replace"))


def _crash(code: int, said: str) -> Phrase:
    if code < 0:
        return Phrase("hooks.why.signal", number=-code)
    return Phrase("hooks.why.code_said", code=code, said=said) if said else Phrase("hooks.why.code", code=code)
