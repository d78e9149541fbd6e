"""A permission question as text, and a typed line as its answer. Pure. Nothing but a plain yes lets a call run."""

from __future__ import annotations

import json

from helloclaw.i18n import Texts
from helloclaw.protocol.commands import Answer
from helloclaw.protocol.events import PermissionAsk
from helloclaw.wording.lines import summary
from helloclaw.wording.plain import one_line, visible
from helloclaw.wording.reasons import reason_text

_YES = frozenset({"y", "yes", "是"})
_NO = frozenset({"n", "no", "否"})
_ALWAYS = frozenset({"a", "always"})


def question(ask: PermissionAsk, say: Texts) -> str:
    """The whole of what would run, why it is asked, and the answers. Ends without a newline, for the answer."""
    command = ask.tool_input.get("command")
    what = command if isinstance(command, str) else json.dumps(ask.tool_input, ensure_ascii=False, indent=2)
    shown = ask.diff or what
    lines = [say("ask.wants", call=summary(ask.tool_name, ask.tool_input))]
    lines += [f"    {line}" for line in visible(shown).split("\n")]
    lines.append(say("ask.why", reason=one_line(reason_text(ask.reason, ask.why, say.lang))))
    rule = one_line(ask.suggested_rules[0]) if ask.suggested_rules else ""
    lines.append(say("ask.choices_always" if rule else "ask.choices", rule=rule, seconds=ask.timeout_sec))
    return "\n".join(lines) + " "


def read_answer(ask: PermissionAsk, line: str) -> Answer | None:
    """What the line says, or None if it is no answer. `n` may be followed by a reason for the model."""
    word, _, reason = line.strip().partition(" ")
    word = word.casefold()
    if word in _YES and not reason:
        return Answer(ask_id=ask.ask_id, decision="allow")
    if word in _ALWAYS and not reason and ask.suggested_rules:
        return Answer(ask_id=ask.ask_id, decision="always", rule=ask.suggested_rules[0])
    if word in _NO:
        return Answer(ask_id=ask.ask_id, decision="deny", reason=reason.strip())
    return None
