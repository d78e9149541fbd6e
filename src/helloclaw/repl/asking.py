"""A permission question: what is shown of it, what may be chosen, and what a choice means. Pure.

Nothing but a plain yes lets a call run: leaving the question in any way is a denial.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from helloclaw.i18n import Texts
from helloclaw.protocol.commands import Answer
from helloclaw.protocol.events import PermissionAsk, Save
from helloclaw.repl.menu import Choice
from helloclaw.wording.lines import summary
from helloclaw.wording.plain import one_line, visible
from helloclaw.wording.reasons import reason_text

if TYPE_CHECKING:
    from helloclaw.repl.output.painter import Painter


INDENT = "  "
LONG_LINES = 16


class Decision(Struct, frozen=True):
    """What a row of the menu stands for. `why` asks for a reason first, `save` is where an `always` is kept."""

    kind: Literal["allow", "always", "deny", "why"]
    rule: str = ""
    save: Save = "session"


def choices(ask: PermissionAsk, say: Texts) -> list[Choice]:
    """Yes; always, for each rule that would let it pass; no; no with a reason.

    The first rule may be kept for longer than this session. A menu that offers that of each would not be read.
    """
    rows = [_row(Decision("allow"), say("ask.yes"), "y")]
    for index, rule in enumerate(ask.suggested_rules):
        for save in ask.saves if index == 0 else ask.saves[:1]:
            label = say(f"ask.always.{save}", rule=one_line(rule))
            key = "a" if index == 0 and save == "session" else ""
            rows.append(_row(Decision("always", rule, save), label, key))
    rows.append(_row(Decision("deny"), say("ask.no"), "n"))
    rows.append(_row(Decision("why"), say("ask.no_because"), "r"))
    return rows


def _row(decision: Decision, label: str, key: str) -> Choice:
    return Choice(value=decision, label=f"{label} ({key})" if key else label, key=key)


def answer_for(ask: PermissionAsk, decision: Decision | None, reason: str = "") -> Answer:
    """The answer to send; None is a question that was left."""
    match decision:
        case Decision(kind="allow"):
            return Answer(ask_id=ask.ask_id, decision="allow")
        case Decision(kind="always", rule=rule, save=save) if rule:
            return Answer(ask_id=ask.ask_id, decision="always", rule=rule, save=save)
        case _:
            return Answer(ask_id=ask.ask_id, decision="deny", reason=reason.strip())


def question(ask: PermissionAsk, painter: Painter, say: Texts, where: str = "") -> str:
    """The whole of what would run, `where` if that is not obvious, and why it is asked: whole rows of ANSI text."""
    parts = [painter.plain(say("ask.wants", call=_called(ask)), "ask")]
    if ask.diff:
        parts.append(painter.diff(ask.diff))
    else:
        command = ask.tool_input.get("command")
        text, language = (command, "bash") if isinstance(command, str) else (_arguments(ask), "json")
        parts.append(painter.code(text.replace("\r", "\\r"), language, indent=INDENT))
    if is_long(ask):
        parts.append(painter.plain(say("ask.lines", count=_lines(ask)), "warn", indent=INDENT))
    if where:
        parts.append(painter.plain(say("ask.where", directory=one_line(where)), "dim", indent=INDENT))
    parts.append(
        painter.plain(
            say("ask.why", reason=one_line(reason_text(ask.reason, ask.why, say.lang))).strip(), "warn", indent=INDENT
        )
    )
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def is_long(ask: PermissionAsk) -> bool:
    """Whether the beginning of what would run may have scrolled out of sight."""
    return _lines(ask) > LONG_LINES


def _lines(ask: PermissionAsk) -> int:
    """Of 80 columns at most."""
    shown = ask.diff or ask.tool_input.get("command")
    text = shown if isinstance(shown, str) else _arguments(ask)
    return sum(1 + len(line) // 80 for line in text.split("\n"))


def _called(ask: PermissionAsk) -> str:
    """The tool, and its target where that is one line; a command stands below, whole."""
    return one_line(ask.tool_name) if "command" in ask.tool_input else summary(ask.tool_name, ask.tool_input)


def _arguments(ask: PermissionAsk) -> str:
    return visible(json.dumps(ask.tool_input, ensure_ascii=False, indent=2))
