"""Whether a call may run: arguments, permission, a person's answer, hooks, and permission again if a hook changed it.

Every call of a tool passes here; `dispatch` runs nothing that was not admitted.
"""

from __future__ import annotations

import asyncio
import shlex
import uuid
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from helloclaw.agent.config import TurnConfig
from helloclaw.agent.engine import Engine
from helloclaw.agent.hooks import ToolHooks
from helloclaw.agent.standing import Standing
from helloclaw.i18n import Phrase, texts
from helloclaw.llm.messages import AnyCall, MalformedCall, ToolCall
from helloclaw.permissions.decide import decide
from helloclaw.permissions.keeping import NotKept
from helloclaw.permissions.rules import BadRule, parse_rule
from helloclaw.permissions.verdict import Behaviour, Call, Scope, Verdict
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Answer
from helloclaw.tools.base import MustFail, Tool, ToolError, ToolOutput
from helloclaw.tools.context import Approval, ToolContext
from helloclaw.tools.paths import approval_of
from helloclaw.tools.registry import explain_bad_arguments


@dataclass(frozen=True, kw_only=True)
class Admitted:
    """A call that may run, with its validated input. `changed`: a hook rewrote it, so order matters to somebody.

    `approval` holds the tool to what the decision was about. `follows`: calls of the same step run before it.
    """

    call: ToolCall
    tool: Tool
    parsed: Any
    subject: Call
    approval: Approval
    changed: bool = False
    follows: bool = False
    hook_context: str = ""


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """A call that can't be run as it stands: unknown tool or bad arguments. The model is told and may try again."""

    call: AnyCall
    output: ToolOutput


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A call that must not run."""

    call: AnyCall
    denial: out.ToolDenied


Admission = Admitted | Wrong | Refused


class Gate:
    """Admits the calls of one turn, in order."""

    def __init__(
        self, engine: Engine, config: TurnConfig, standing: Standing, hooks: ToolHooks, context: ToolContext
    ) -> None:
        self._engine = engine
        self._config = config
        self._standing = standing
        self._hooks = hooks
        self._context = context

    async def admit(self, call: AnyCall, *, follows: bool = False) -> Admission:
        checked = self._check(call)
        if not isinstance(checked, Admitted):
            return checked
        permitted = await self._permit(replace(checked, follows=follows))
        if not isinstance(permitted, Admitted):
            return permitted
        verdict = await self._hooks.before_tool(permitted.call)
        if verdict.blocked is not None:
            return _refused(permitted.call, verdict.blocked, f"Blocked by hook: {verdict.blocked}", "hook")
        if verdict.updated_input is not None and verdict.updated_input != permitted.call.input:
            rewritten = self._check(msgspec.structs.replace(permitted.call, input=verdict.updated_input))
            if isinstance(rewritten, Admitted):
                rewritten = await self._permit(replace(rewritten, follows=follows))
            permitted = rewritten
            if not isinstance(permitted, Admitted):
                return permitted
            permitted = replace(permitted, changed=True)
        if verdict.ask is not None:
            question = Verdict(behaviour=Behaviour.ASK, reason=verdict.ask, step=5)
            if refusal := await self._ask(permitted, question):
                return refusal
        return replace(permitted, hook_context=verdict.context)

    def _check(self, call: AnyCall) -> Admitted | Wrong:
        """Find the tool and validate the arguments. Nothing is guessed."""
        tool = self._config.toolbox.find(call.name)
        if tool is None:
            return Wrong(call=call, output=ToolOutput(text=self._config.toolbox.unknown(call.name), is_error=True))
        if isinstance(call, MalformedCall):
            return Wrong(call=call, output=ToolOutput(text=explain_bad_arguments(tool, call.error), is_error=True))
        try:
            parsed = tool.parse(call.input)
            subject = tool.call(call.input, parsed)
            approval = approval_of(subject, self._context.cwd)
        except msgspec.ValidationError as error:
            return Wrong(call=call, output=ToolOutput(text=explain_bad_arguments(tool, str(error)), is_error=True))
        except ToolError as error:
            return Wrong(call=call, output=ToolOutput(text=str(error), is_error=True))
        return Admitted(call=call, tool=tool, parsed=parsed, subject=subject, approval=approval)

    async def _permit(self, admitted: Admitted) -> Admission:
        """The call, held to what the decision was about; or why it must not run."""
        rules = self._standing.with_granted(self._config.rules)
        verdict = decide(admitted.subject, self._standing.mode, rules, self._scope(admitted.subject))
        match verdict.behaviour:
            case Behaviour.ALLOW:
                self._standing.allowed()
                return replace(admitted, approval=msgspec.structs.replace(admitted.approval, confined=verdict.confined))
            case Behaviour.DENY:
                return self._deny(admitted.call, verdict.reason, "permission", rule=None, why=_why(verdict))
            case Behaviour.ASK:
                return await self._ask(admitted, verdict) or admitted

    def _scope(self, subject: Call) -> Scope:
        """Where the call happens. What a sandbox has held back before is not sent into it again."""
        scope = self._config.scope()
        if subject.command in self._context.shell.held_back:
            return msgspec.structs.replace(scope, sandboxed=False)
        return scope

    async def _ask(self, admitted: Admitted, verdict: Verdict) -> Refused | Wrong | None:
        call = admitted.call
        rule = verdict.suggested_rules[0] if verdict.suggested_rules else None
        if not self._config.interactive:
            way = f"; --allow {shlex.quote(rule)} would let it pass" if rule else ""
            way = f"; nobody can be asked here{way}"
            return self._deny(call, verdict.reason + way, "permission", rule=rule, why=_why(verdict))
        try:
            diff = await admitted.tool.preview(admitted.parsed, self._context) if admitted.tool.preview else None
        except MustFail as error:
            # A call before it may change that, such as the reading of the file.
            if not admitted.follows:
                return Wrong(call=call, output=ToolOutput(text=str(error), is_error=True))
            diff = None
        ask = out.PermissionAsk(
            ask_id=uuid.uuid4().hex,
            tool_name=call.name,
            tool_input=call.input,
            reason=verdict.reason,
            why=_why(verdict),
            suggested_rules=verdict.suggested_rules,
            timeout_sec=round(self._config.ask_timeout_s),
            diff=diff,
            cwd=str(admitted.approval.cwd) if admitted.subject.command is not None else "",
            saves=await self._places(),
        )
        self._engine.emit(ask)
        self._engine.emit(out.Phase(state="asking", label=call.name))
        try:
            answer = await self._engine.wait(ask.ask_id, self._config.ask_timeout_s)
            kept, problem = await self._grant(answer, rule)
        except asyncio.CancelledError:
            self._engine.emit(out.PermissionResolved(ask_id=ask.ask_id, decision="cancelled"))
            raise
        if answer is None:
            self._engine.emit(out.PermissionResolved(ask_id=ask.ask_id, decision="timeout"))
            reason = f"No answer within {ask.timeout_sec} s; not run"
            return _refused(call, reason, reason, "timeout", rule=rule)
        self._engine.emit(
            out.PermissionResolved(
                ask_id=ask.ask_id, decision=answer.decision, rule=answer.rule, reason=answer.reason, save=kept
            )
        )
        if problem is not None:
            text = texts("en").say(problem)
            self._engine.emit(out.Notice(text=text, code=problem.key, values=problem.values, level="warning"))
        if answer.decision == "deny":
            return self._deny(call, answer.reason, "user", rule=rule)
        self._standing.allowed()
        return None

    async def _places(self) -> tuple[out.Save, ...]:
        files = self._config.rule_files
        return ("session", *await asyncio.to_thread(lambda: files.places)) if files is not None else ("session",)

    async def _grant(self, answer: Answer | None, offered: str | None) -> tuple[out.Save, Phrase | None]:
        """Keep an `always` for the session, and in a file if it is to be; where it is kept, and what went wrong."""
        text = (answer.rule or offered) if answer is not None and answer.decision == "always" else None
        if answer is None or text is None:
            return "session", None
        try:
            rule = parse_rule(text, source="session")
        except BadRule as error:
            return "session", error.phrase
        self._standing.grant(rule)
        files = self._config.rule_files
        if answer.save == "session" or files is None:
            return "session", None
        try:
            await asyncio.to_thread(files.add, rule, answer.save)
        except NotKept as error:
            return "session", error.phrase
        return answer.save, None

    def _deny(
        self, call: ToolCall, reason: str, source: out.DeniedBy, rule: str | None, why: out.Why | None = None
    ) -> Refused:
        if self._standing.denied():
            text = "Three denials in a row. /mode plan lets the model plan without asking."
            self._engine.emit(out.Notice(text=text, code="denials"))
        by_person = f"Permission denied by user for {call.name}" + (f": {reason}" if reason else "")
        output = by_person if source == "user" else f"Permission denied: {reason}"
        return _refused(call, reason, output, source, rule=rule, why=why)


def _why(verdict: Verdict) -> out.Why | None:
    return out.Why(id=verdict.why.id, about=verdict.why.what) if verdict.why else None


def _refused(
    call: ToolCall,
    reason: str,
    output: str,
    source: out.DeniedBy,
    rule: str | None = None,
    why: out.Why | None = None,
) -> Refused:
    return Refused(
        call=call,
        denial=out.ToolDenied(
            id=call.id,
            name=call.name,
            input=call.input,
            reason=reason,
            output=output,
            source=source,
            rule=rule,
            why=why,
        ),
    )
