"""A permission question: what is shown of it, what may be chosen, and what a choice means. Pure.

Nothing but a plain yes lets a call run: leaving the question in any way is a denial.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from helloclaw.i18n import Texts
from helloclaw.protocol.commands import Answer
from helloclaw.protocol.events import PermissionAsk
from helloclaw.repl.menu import Choice
from helloclaw.wording.lines import summary
from helloclaw.wording.plain import one_line, visible
from helloclaw.wording.reasons import reason_text

if TYPE_CHECKING:
    from helloclaw.repl.output.painter import Painter


INDENT = "  "


class Decision(Struct, frozen=True):
    """What a row of the menu stands for. `why` asks for a reason first."""

    kind: Literal["allow", "always", "deny", "why"]
    rule: str = ""


def choices(ask: PermissionAsk, say: Texts) -> list[Choice]:
    """Yes; always, for each rule that would let it pass, narrowest first; no; no with a reason."""
    rows = [Choice(value=Decision("allow"), label=say("ask.yes"), key="y")]
    for index, rule in enumerate(ask.suggested_rules):
        label = say("ask.always", rule=one_line(rule))
        rows.append(Choice(value=Decision("always", rule), label=label, key="" if index else "a"))
    rows.append(Choice(value=Decision("deny"), label=say("ask.no"), key="n"))
    rows.append(Choice(value=Decision("why"), label=say("ask.no_because"), key="r"))
    return rows


def answer_for(ask: PermissionAsk, decision: Decision | None, reason: str = "") -> Answer:
    """The answer to send; None is a question that was left."""
    match decision:
        case Decision(kind="allow"):
            return Answer(ask_id=ask.ask_id, decision="allow")
        case Decision(kind="always", rule=rule) if rule:
            return Answer(ask_id=ask.ask_id, decision="always", rule=rule)
        case _:
            return Answer(ask_id=ask.ask_id, decision="deny", reason=reason.strip())


def question(ask: PermissionAsk, painter: Painter, say: Texts, where: str = "") -> str:
    """The whole of what would run, `where` if that is not obvious, and why it is asked: whole rows of ANSI text."""
    parts = [painter.plain(say("ask.wants", call=_called(ask)), "ask")]
    if ask.diff:
        parts.append(painter.diff(ask.diff))
    else:
        command = ask.tool_input.get("command")
        parts.append(
            painter.code(command, "bash") if isinstance(command, str) else painter.code(_arguments(ask), "json")
        )
    if where:
        parts.append(painter.plain(say("ask.where", directory=one_line(where)), "dim", indent=INDENT))
    parts.append(
        painter.plain(
            say("ask.why", reason=one_line(reason_text(ask.reason, ask.why, say.lang))).strip(), "warn", indent=INDENT
        )
    )
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def _called(ask: PermissionAsk) -> str:
    """The tool, and its target where that is one line; a command stands below, whole."""
    return one_line(ask.tool_name) if "command" in ask.tool_input else summary(ask.tool_name, ask.tool_input)


def _arguments(ask: PermissionAsk) -> str:
    return visible(json.dumps(ask.tool_input, ensure_ascii=False, indent=2))
