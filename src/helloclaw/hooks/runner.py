"""The hooks of one session: which run at an event, one after the other, and what comes of their answers.

It implements what the agent calls (`helloclaw.agent.hooks.SessionHooks`) and what `/hooks` shows and switches.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, structs

from helloclaw.agent.hooks import HookVerdict
from helloclaw.hooks.answer import Answer, understood
from helloclaw.hooks.config import LIMIT_S, Hook, HookEvent
from helloclaw.hooks.hearing import Happening, environment, heard
from helloclaw.hooks.run import HookLine, Run, run_hook
from helloclaw.hooks.source import HookSource, Loaded
from helloclaw.i18n import Phrase, texts
from helloclaw.llm.messages import ToolCall
from helloclaw.tools.base import ToolOutput
from helloclaw.tools.command import OutputPipe
from helloclaw.tools.process_tree import ProcessTree, end_tree

log = logging.getLogger(__name__)

_SHOWN_CHARS = 80  # of a command, in a message


class HookReport(Struct, frozen=True, kw_only=True):
    """One row of `/hooks list`. `last` is how the last run ended: an exit code, or why there was none; None: no run."""

    hook: Hook
    runs: int = 0
    blocks: int = 0
    failures: int = 0
    last: int | Phrase | None = None
    last_ms: int = 0


class HookRunner:
    """`tell` takes what a person should know: hooks that failed, settings that changed."""

    def __init__(
        self,
        *,
        workdir: Path,
        environ: Mapping[str, str],
        session_id: str,
        trusted: Callable[[], bool],
        tell: Callable[[Phrase], None],
        limit_s: float = LIMIT_S,
    ) -> None:
        """Raises `SettingsError` for a trusted `.hooks.json` that can't be understood."""
        self._workdir = workdir
        self._environ = environ
        self._session_id = session_id
        self._tell = tell
        self._limit_s = limit_s
        self._mark = secrets.token_hex(8)
        self._source = HookSource(workdir, trusted)
        self._source.load()
        self._off = False
        self._reports: dict[Hook, HookReport] = {}
        self._runs = 0
        self._held: list[OutputPipe] = []
        self._opening: asyncio.Task[str] | None = None
        self._waiting = ""  # for the next message to the model

    # What `/hooks` and the screen ask

    @property
    def loaded(self) -> Loaded:
        return self._source.loaded

    @property
    def switched_off(self) -> bool:
        return self._off

    def switch(self, *, on: bool) -> None:
        """Run hooks or leave them, until the session ends. `.hooks.disabled` is stronger."""
        self._off = not on

    def reload(self) -> Loaded:
        """Read `.hooks.json` again."""
        return self._source.reload()

    def reports(self) -> tuple[HookReport, ...]:
        """Every hook that counts, in the order of the file, with what it has done in this session."""
        return tuple(self._reports.get(hook, HookReport(hook=hook)) for hook in self.loaded.hooks)

    # What the agent calls

    def start(self) -> None:
        """Begin with `SessionStart`, in the background: the first message waits for it, the person does not."""
        self._opening = asyncio.create_task(self._say(Happening(event="SessionStart")), name="SessionStart hooks")

    async def before_prompt(self, text: str) -> HookVerdict:
        """`UserPromptSubmit`: a message may be refused, or get something added for the model."""
        self._renew(trust_too=True)
        if self._opening is not None:
            opening, self._opening = self._opening, None
            self._add(await _own(opening))
        verdict = await self._chain(Happening(event="UserPromptSubmit", input={"prompt": text}))
        if verdict.blocked is not None:
            return verdict
        waiting, self._waiting = self._waiting, ""
        return structs.replace(verdict, updated_input=None, context=_joined(waiting, verdict.context))

    async def before_tool(self, call: ToolCall) -> HookVerdict:
        """`PreToolUse`: block, ask, change the input, or add to the result. The first block ends the chain."""
        return await self._chain(Happening(event="PreToolUse", tool=call.name, input=call.input))

    async def after_tool(self, call: ToolCall, output: ToolOutput) -> str:
        """`PostToolUse`: what to append to the result. It is too late to block."""
        happening = Happening(
            event="PostToolUse", tool=call.name, input=call.input, output=output.text, is_error=output.is_error
        )
        return await self._say(happening)

    async def before_compact(self, trigger: str) -> None:
        """`PreCompact`; `trigger` is `auto` or `manual`."""
        await self._say(Happening(event="PreCompact", input={"trigger": trigger}))

    async def round_end(self, stop_reason: str, last_text: str) -> None:
        """`RoundEnd`: what it wants to add is told to the model with the next message."""
        values = {"stop_reason": stop_reason, "last_assistant_text": last_text}
        self._add(await self._say(Happening(event="RoundEnd", input=values)))

    async def close(self) -> None:
        """`SessionEnd`, then the end of everything that hooks have left running."""
        try:
            if self._opening is not None:
                self._opening.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await self._opening
                self._opening = None
            await self._say(Happening(event="SessionEnd"))
        finally:
            if self._runs:
                await end_tree(ProcessTree(root=None, mark=f"{self._mark}."))
            for pipe in self._held:
                pipe.close()
            self._held.clear()

    # How

    def _add(self, text: str) -> None:
        self._waiting = _joined(self._waiting, text)

    def _renew(self, *, trust_too: bool = False) -> None:
        if news := self._source.renew(trust_too=trust_too):
            self._tell(news)

    def _wanted(self, event: HookEvent, tool: str) -> list[Hook]:
        self._renew()
        if self._off or self.loaded.state == "disabled":
            return []
        return [hook for hook in self.loaded.hooks if hook.event == event and hook.wants(tool)]

    async def _chain(self, happening: Happening) -> HookVerdict:
        """Run what is wanted until one blocks; each hears the input as the one before has left it."""
        context, ask, changed = "", "", False
        for hook in self._wanted(happening.event, happening.tool):
            answer = await self._answer(hook, happening)
            if answer.failed is not None:
                if hook.guards:
                    return HookVerdict(blocked=texts("en").say(_failure(hook, answer.failed)))
                self._tell(_failure(hook, answer.failed))
                continue
            if answer.blocked is not None:
                return HookVerdict(blocked=answer.blocked)
            context, ask = _joined(context, answer.context), _joined(ask, answer.ask or "")
            if answer.updated_input is not None:
                happening, changed = structs.replace(happening, input=answer.updated_input), True
        return HookVerdict(updated_input=happening.input if changed else None, context=context, ask=ask or None)

    async def _say(self, happening: Happening) -> str:
        """Run what is wanted at an event that nothing can stop; what the hooks have to say about it."""
        said = ""
        for hook in self._wanted(happening.event, happening.tool):
            answer = await self._answer(hook, happening)
            if answer.failed is not None:
                self._tell(_failure(hook, answer.failed))
            said = _joined(said, answer.context, answer.blocked or "")
            if answer.blocked is not None:
                break
        return said

    async def _answer(self, hook: Hook, happening: Happening) -> Answer:
        self._runs += 1
        workdir = str(self._workdir)
        line = HookLine(
            command=hook.command,
            cwd=self._workdir,
            environ=environment(happening, self._environ, workdir),
            heard=heard(happening, self._session_id, workdir),
            mark=f"{self._mark}.{self._runs}.",
        )
        run = await run_hook(line, self._limit_s)
        self._held = [pipe for pipe in (*self._held, *run.held) if not pipe.ended.is_set()]
        answer = understood(run)
        self._note(hook, run, answer)
        return answer

    def _note(self, hook: Hook, run: Run, answer: Answer) -> None:
        before = self._reports.get(hook, HookReport(hook=hook))
        failed = answer.failed is not None
        self._reports[hook] = structs.replace(
            before,
            runs=before.runs + 1,
            blocks=before.blocks + (answer.blocked is not None),
            failures=before.failures + failed,
            last=answer.failed if run.exit_code is None or run.exit_code < 0 else run.exit_code,
            last_ms=round(run.seconds * 1000),
        )
        log.debug("%s hook, line %d: exit %s after %.3f s", hook.event, hook.line, run.exit_code, run.seconds)


async def _own(task: asyncio.Task[str]) -> str:
    """The result of a task that is ours: whoever is cancelled waiting for it cancels it."""
    try:
        return await task
    finally:
        task.cancel()


def _failure(hook: Hook, why: Phrase) -> Phrase:
    command = " ".join(hook.command.split())
    shown = command if len(command) <= _SHOWN_CHARS else f"{command[:_SHOWN_CHARS]}…"
    return Phrase("hooks.failed", event=hook.event, command=shown, what=why)


def _joined(*said: str) -> str:
    return "\n".join(part for part in said if part)
