"""`HelloClawAgent`: an agent to embed.

It runs its sessions in an event loop of its own thread, so that it works with and without a running loop around it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, overload

from helloclaw.agent import catalog
from helloclaw.agent.load import load_history
from helloclaw.agent.session import Session
from helloclaw.app import SessionOptions, open_session
from helloclaw.i18n import SpokenError, choose
from helloclaw.library.loop_thread import LoopThread
from helloclaw.library.stream import StreamEvent, StreamEventType, Translator, history_entries
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Answer, Cancel, Say
from helloclaw.settings.environment import Given
from helloclaw.settings.source import SettingsSource
from helloclaw.settings.values import Origin
from helloclaw.storage.journal import scan
from helloclaw.storage.paths import find_home
from helloclaw.tools.base import Tool
from helloclaw.tools.registry import tool_from_function
from helloclaw.workspace.files import Workspace
from helloclaw.workspace.name import DEFAULT_NAME, established

log = logging.getLogger(__name__)

Result = TypeVar("Result")
Function = Callable[..., Any]
Asked = Callable[[out.PermissionAsk], "bool | Awaitable[bool]"]

MAX_TOOL_ITERATIONS = 10
FREQUENCY_PENALTY = 0.5
PRESENCE_PENALTY = 0.3


class AgentError(Exception):
    """A turn failed. `hint` says what to do, `retryable` whether the same may work later."""

    def __init__(self, message: str, hint: str = "", *, retryable: bool = False) -> None:
        super().__init__(f"{message.rstrip().rstrip('.')}. {hint}" if hint else message)
        self.hint = hint
        self.retryable = retryable


class HelloClawAgent:
    """An agent in a workspace directory, with sessions that outlive the process.

    `workspace_path` is where it works and what it may read (default: the home workspace). `model_id`, `api_key` and
    `base_url` come before every other setting. `allow` are permission rules such as `Bash(ls:*)`; `ask` is called with
    each permission question and answers True or False (unset: what would be asked is denied). Penalties are HelloClaw's
    unless set.

    Methods may be called from any thread. Close it, or use it as a context manager, to end what it started.
    """

    def __init__(
        self,
        workspace_path: str | os.PathLike[str] | None = None,
        name: str | None = None,
        model_id: str | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
        max_tool_iterations: int = MAX_TOOL_ITERATIONS,
        *,
        mode: out.Mode = "default",
        allow: tuple[str, ...] | list[str] = (),
        ask: Asked | None = None,
        system_append: str = "",
        frequency_penalty: float | None = FREQUENCY_PENALTY,
        presence_penalty: float | None = PRESENCE_PENALTY,
    ) -> None:
        self._name = name
        self._home = find_home(os.environ)
        self._workspace = Path(workspace_path).expanduser().absolute() if workspace_path else self._home.workspace
        self._source = SettingsSource(self._home, os.environ, _flags(model_id, api_key, base_url))
        self._iterations = max_tool_iterations
        self._mode: out.Mode = mode
        self._allow = tuple(allow)
        self._ask = ask
        self._append = "\n\n".join(part for part in (f"Your name is {name}." if name else "", system_append) if part)
        self._penalties = (frequency_penalty, presence_penalty)
        self._tools: list[Tool] = []
        self._sessions: dict[str, tuple[Session, contextlib.AsyncExitStack]] = {}
        self._latest: str | None = None
        self._thread: LoopThread | None = None
        self._starting = threading.Lock()
        self._opening = asyncio.Lock()

    @property
    def name(self) -> str:
        """The one it was given, else what IDENTITY.md says, else HelloClaw."""
        if self._name:
            return self._name
        try:
            return established(Workspace(self._workspace).read("IDENTITY.md")) or DEFAULT_NAME
        except (SpokenError, OSError):
            return DEFAULT_NAME

    @property
    def workspace(self) -> Path:
        """The directory it works in."""
        return self._workspace

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @overload
    def tool(self, function: Function, /) -> Function: ...
    @overload
    def tool(
        self, /, *, name: str | None = None, description: str | None = None, read_only: bool = False
    ) -> Callable[[Function], Function]: ...

    def tool(
        self,
        function: Function | None = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        read_only: bool = False,
    ) -> Function | Callable[[Function], Function]:
        """Offer a function to the model; a decorator. Its signature and docstring are what the model sees.

        A read-only tool may run beside others. It is your code, so it runs without a question. Register tools before
        the session's first message.
        """

        def register(each: Function) -> Function:
            self._tools.append(
                tool_from_function(
                    each, name=name, description=description, read_only=read_only, parallel_safe=read_only
                )
            )
            return each

        return register if function is None else register(function)

    def chat(self, text: str, session_id: str | None = None) -> str:
        """Say something and get the answer. Without `session_id` the talk goes on in this agent's latest session.

        Raises `AgentError` when the turn failed, `SessionNotFound`, `SessionBusy`.
        """
        return self._run(self._answer(text, session_id))

    async def achat(self, text: str, session_id: str | None = None) -> AsyncGenerator[StreamEvent, None]:
        """Say something and follow the answer as it comes; leaving early cancels the turn.

        A failed turn is an ERROR event before the AGENT_FINISH.
        """
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[StreamEvent | None] = asyncio.Queue()

        def hand_over(event: StreamEvent | None) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, event)

        job = asyncio.run_coroutine_threadsafe(self._stream(text, session_id, hand_over), self._loop())
        try:
            while (event := await queue.get()) is not None:
                yield event
            await asyncio.wrap_future(job)
        finally:
            job.cancel()

    def create_session(self) -> str:
        """Start a session and make it the one that `chat` goes on with."""
        return self._run(self._open(None))

    def list_sessions(self) -> list[catalog.SessionInfo]:
        """All sessions of this workspace, latest first."""
        return catalog.list_sessions(self._home, self._workspace)

    def get_session_history(self, session_id: str) -> list[dict[str, Any]]:
        """`role` (user, assistant, tool), `content` and `metadata` of each message, tool calls in an assistant's."""
        history = load_history(scan(catalog.find_session(self._home, session_id)).lines)
        return [entry for message in history.messages() for entry in history_entries(message)]

    def delete_session(self, session_id: str) -> None:
        """Remove a session and all that was said in it. Raises `SessionNotFound`."""
        self._run(self._forget(session_id))
        catalog.delete_session(self._home, session_id)

    def clear_session(self, session_id: str) -> None:
        """Empty a session, keeping its id. Raises `SessionNotFound`."""
        self.delete_session(session_id)
        self._run(self._open(session_id))

    def close(self) -> None:
        """End every session and background command of this agent. What was said stays."""
        if self._thread is not None:
            try:
                self._run(self._close_all())
            finally:
                self._thread.stop()
                self._thread = None

    # What follows runs in the agent's own loop.

    async def _answer(self, text: str, session_id: str | None) -> str:
        session = await self._session(session_id)
        said: list[str] = []
        errors: list[out.ErrorEvent] = []

        def listen(event: out.Event) -> None:
            if isinstance(event, out.AssistantEnd) and event.text:
                said.append(event.text)
            elif isinstance(event, out.ErrorEvent):
                errors.append(event)

        with contextlib.ExitStack() as stack:
            stack.callback(session.subscribe(listen))
            stack.callback(session.subscribe(self._questions(session)))
            await session.turn(Say(text=text))
        if errors:
            raise AgentError(errors[-1].message, errors[-1].hint, retryable=errors[-1].retryable)
        return said[-1] if said else ""

    async def _stream(self, text: str, session_id: str | None, hand_over: Callable[[StreamEvent | None], None]) -> None:
        try:
            session = await self._session(session_id)
            translate = Translator(session.id)

            def listen(event: out.Event) -> None:
                for each in translate(event):
                    hand_over(each)

            with contextlib.ExitStack() as stack:
                stack.callback(session.subscribe(listen))
                stack.callback(session.subscribe(self._questions(session)))
                hand_over(StreamEvent(StreamEventType.AGENT_START, {"session_id": session.id}))
                try:
                    await session.turn(Say(text=text))
                except asyncio.CancelledError:
                    session.send(Cancel())
                    raise
        finally:
            hand_over(None)

    def _questions(self, session: Session) -> Callable[[out.Event], None]:
        """Pass permission questions to the `ask` callable."""
        running: set[asyncio.Task[None]] = set()

        async def answer(ask: out.PermissionAsk) -> None:
            try:
                said = self._ask(ask) if self._ask else False
                allowed = said if isinstance(said, bool) else await said
            except Exception:  # Where nobody can say yes, it is a no.
                log.exception("the question about %s could not be asked", ask.tool_name)
                allowed = False
            session.send(Answer(ask_id=ask.ask_id, decision="allow" if allowed else "deny"))

        def listen(event: out.Event) -> None:
            if isinstance(event, out.PermissionAsk):
                task = asyncio.get_running_loop().create_task(answer(event))
                running.add(task)
                task.add_done_callback(running.discard)

        return listen

    async def _session(self, session_id: str | None) -> Session:
        async with self._opening:  # Two who ask for one session at once get the same one.
            wanted = session_id or self._latest
            if wanted is None or wanted not in self._sessions:
                wanted = await self._open(wanted)
            self._latest = wanted
            return self._sessions[wanted][0]

    async def _open(self, session_id: str | None) -> str:
        frequency, presence = self._penalties
        self._workspace.mkdir(parents=True, exist_ok=True)
        options = SessionOptions(
            source=self._source,
            home=self._home,
            workdir=self._workspace,
            mode=self._mode,
            allow=self._allow,
            interactive=self._ask is not None,
            system_append=self._append,
            default_steps=self._iterations,
            extra_tools=tuple(self._tools),
            frequency_penalty=frequency,
            presence_penalty=presence,
            workspace=self._workspace,
            introduces=True,
            language=choose(self._source.current().ui.lang, os.environ),
        )
        known = session_id is not None and catalog.journal_path(self._home, session_id).exists()
        stack = contextlib.AsyncExitStack()
        session = await stack.enter_async_context(
            open_session(options, resume=session_id if known else None, session_id=None if known else session_id)
        )
        self._sessions[session.id] = (session, stack)
        self._latest = session.id
        return session.id

    async def _forget(self, session_id: str) -> None:
        if (opened := self._sessions.pop(session_id, None)) is not None:
            await opened[1].aclose()
        if self._latest == session_id:
            self._latest = None

    async def _close_all(self) -> None:
        for session_id in tuple(self._sessions):
            await self._forget(session_id)

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop()).result()

    def _loop(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._thread is None:
                self._thread = LoopThread()
                self._opening = asyncio.Lock()  # of that loop
            return self._thread.loop


def _flags(model_id: str | None, api_key: str | None, base_url: str | None) -> dict[str, Given]:
    said = {"llm.model_id": model_id, "llm.api_key": api_key, "llm.base_url": base_url}
    return {key: Given(value, Origin("flag", "HelloClawAgent()")) for key, value in said.items() if value}
