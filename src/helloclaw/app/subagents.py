"""Subagents: a session for a piece of work, with everything of its own but the limits of whoever started it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from helloclaw.agent.config import CannotRun
from helloclaw.agent.prompt import role
from helloclaw.agent.standing import Standing
from helloclaw.app.options import SessionOptions
from helloclaw.i18n import SpokenError, texts
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say
from helloclaw.storage.locks import Busy
from helloclaw.tools.base import Tool, ToolError
from helloclaw.tools.subagent import AgentType, Answer
from helloclaw.wording.lines import progress_line

MOST_STEPS = 30
DEEPEST = 2
MOST_AT_ONCE = 8
_REPORTED_LINES = 5


class Room:
    """How many subagents of one conversation run now, at any depth."""

    def __init__(self) -> None:
        self.taken = 0


class SessionSubagents:
    """Those of one session. Its mode is theirs, too; `Explore` is never more than plan."""

    def __init__(self, options: SessionOptions, session_id: str, standing: Standing, room: Room) -> None:
        self._options = options
        self._session_id = session_id
        self._standing = standing
        self._room = room

    async def run(self, prompt: str, kind: AgentType, report: Callable[[str], None], *, by_schedule: bool) -> Answer:
        if self._options.depth >= DEEPEST:
            raise ToolError(f"Subagents go {DEEPEST} deep; do this yourself")
        if self._room.taken >= MOST_AT_ONCE:
            raise ToolError(f"{MOST_AT_ONCE} subagents run already; wait for one of them")
        self._room.taken += 1
        try:
            return await self._run(prompt, kind, report, by_schedule=by_schedule)
        except (SpokenError, CannotRun, Busy, OSError) as error:
            raise ToolError(f"The subagent could not run: {error}") from error
        finally:
            self._room.taken -= 1

    async def _run(self, prompt: str, kind: AgentType, report: Callable[[str], None], *, by_schedule: bool) -> Answer:
        from helloclaw.app.opening import open_session

        said, errors = list[str](), list[str]()
        lines: list[str] = []
        say = texts("en")

        def hear(event: out.Event) -> None:
            match event:
                case out.AssistantEnd(text=text) if text:
                    said.append(text)
                case out.ErrorEvent(message=message):
                    errors.append(message)
                case _:
                    if line := progress_line(event, say):
                        lines.append(line)
                        report("\n".join(lines[-_REPORTED_LINES:]))

        async with open_session(self._child(kind, by_schedule), room=self._room) as session:
            session.subscribe(hear)
            end = await session.turn(Say(text=prompt, source="schedule"))
            usage, child = session.usage, session.id
        if end.reason == "failed":
            raise ToolError(f"The subagent failed: {errors[-1] if errors else 'no reason given'}")
        cut = f"\n(It was stopped at its limit of {MOST_STEPS} steps.)" if end.reason == "limit" else ""
        return Answer(text=(said[-1] if said else "(no answer)") + cut, session_id=child, usage=usage)

    def _child(self, kind: AgentType, by_schedule: bool) -> SessionOptions:
        options = self._options
        return structs.replace(
            options,
            mode="plan" if kind == "Explore" else self._standing.mode,
            system_append="\n\n".join(filter(None, (options.system_append, role(kind)))),
            max_steps=MOST_STEPS,
            interactive=False,
            introduces=False,
            keeps_time=False,
            keep_workdir=False,
            by_schedule=by_schedule or options.by_schedule,
            parent=self._session_id,
            depth=options.depth + 1,
        )


def tools_for(options: SessionOptions, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Without what could only fail: at the deepest level there are no subagents."""
    return tools if options.depth < DEEPEST else tuple(tool for tool in tools if tool.name != "run_subagent")
