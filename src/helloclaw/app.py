"""The composition root: the one place that knows every part and puts a session together from settings."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from helloclaw.agent.config import CannotRun, TurnConfig
from helloclaw.agent.engine import LocalEngine
from helloclaw.agent.opening import Opened, SessionBusy, open_copy, open_existing, open_new
from helloclaw.agent.prompt import system_prompt
from helloclaw.agent.session import Session
from helloclaw.agent.standing import Standing
from helloclaw.agent.turn import warning
from helloclaw.hooks.runner import HookRunner
from helloclaw.i18n import Phrase, texts
from helloclaw.llm.messages import ModelRequest
from helloclaw.llm.model import ChatModel, open_model
from helloclaw.llm.pricing import cost_usd, load_prices, may_cost
from helloclaw.llm.wire import Endpoint
from helloclaw.permissions.keeping import RuleFiles
from helloclaw.permissions.matching import binds_url
from helloclaw.permissions.paths import control_paths, is_control
from helloclaw.permissions.rules import RuleSet, load_rules, parse_rule
from helloclaw.permissions.verdict import Scope
from helloclaw.protocol.events import Mode, SessionCreated, Status
from helloclaw.settings.endpoint import endpoint_from
from helloclaw.settings.source import SettingsSource
from helloclaw.settings.trust import is_trusted
from helloclaw.settings.values import Settings
from helloclaw.storage.paths import Home, person_home
from helloclaw.tools.base import Tool
from helloclaw.tools.context import ToolContext
from helloclaw.tools.registry import Toolbox, default_tools, lean_tools, open_context
from helloclaw.tools.shell import ShellState
from helloclaw.tools.web.access import SearchChoice, WebAccess
from helloclaw.tools.web.recall import learn, recall

if TYPE_CHECKING:
    from helloclaw.sandbox.session import SessionSandbox

__all__ = ["SessionBusy", "SessionOptions", "open_session"]

CODING_STEPS = 200
DEFAULT_WINDOW_TOKENS = 128_000


class SessionOptions(Struct, frozen=True, kw_only=True):
    """How a front end wants its session.

    `allow` are permission rules for this session, `add_dirs` further directories free to read. `interactive` says that
    somebody can be asked. A resumed session goes on in its own directory if `keep_workdir`. `max_steps` is a hard limit
    of model calls; unset, the settings decide, and the last call is one without tools. `extra_tools` are the embedding
    program's own; `web` replaces the way to the web.
    """

    source: SettingsSource
    home: Home
    workdir: Path
    keep_workdir: bool = True
    mode: Mode | None = None
    allow: tuple[str, ...] = ()
    add_dirs: tuple[Path, ...] = ()
    system_append: str = ""
    max_steps: int | None = None
    max_cost_usd: float | None = None
    interactive: bool = False
    default_steps: int = CODING_STEPS
    extra_tools: tuple[Tool, ...] = ()
    web: WebAccess | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None


@asynccontextmanager
async def open_session(
    options: SessionOptions, *, resume: str | None = None, fork: bool = False, session_id: str | None = None
) -> AsyncGenerator[Session]:
    """A session ready to be spoken to; closed, with all that it started, on leaving.

    Raises `SettingsError`, `BadRule`, `SessionNotFound`, `SessionBusy`, `JournalError`, `OSError`.
    """
    settings = options.source.current()
    gather_rules(settings, options)  # What can't be read is said before a journal is made.
    opened = await _open(options, resume, fork, session_id)
    parts: _Parts | None = None
    try:
        if options.keep_workdir and opened.workdir.is_dir():
            options = structs.replace(options, workdir=opened.workdir)
        # The rules of the directory it works in, which need not be the one it was resumed from.
        engine = LocalEngine(opened.session_id, opened.journal, opened.history)
        parts = _Parts(
            options,
            gather_rules(settings, options),
            notices=_repairs(opened),
            tell=lambda phrase: engine.publish(_status(phrase)),
        )
        standing = Standing(options.mode or opened.history.mode or settings.permissions.mode)
        context = open_context(opened.session_id, options.workdir, environ=options.source.environ, web=options.web)
        hooks = HookRunner(
            workdir=context.workdir,
            environ=options.source.environ,
            session_id=opened.session_id,
            trusted=lambda: is_trusted(options.home, options.workdir),
            tell=lambda phrase: engine.publish(warning(phrase)),
        )
        if resume is not None:
            await asyncio.to_thread(recall, opened.journal.path, context.web.known)
        engine.subscribe(lambda event: learn(event, context.web.known))
        is_new = resume is None or fork
        confines = _Confinement(options, standing, context.shell)
        created = SessionCreated(workdir=str(options.workdir), forked_from=opened.forked_from) if is_new else None
        session = Session(
            engine,
            lambda: parts.configure(context, confines),
            standing,
            hooks,
            context,
            created,
            peek=lambda: parts.configure(context, confines, peek=True),
            may_write=lambda path: not is_control(str(path), make_scope(options, context.cwd)),
        )
        async with _hooked(hooks), _serving(session):
            yield session
    finally:
        try:
            if parts is not None:
                await parts.close()
        finally:
            opened.release()


@asynccontextmanager
async def _hooked(hooks: HookRunner) -> AsyncGenerator[None]:
    hooks.start()
    try:
        yield
    finally:
        await hooks.close()


@asynccontextmanager
async def _serving(session: Session) -> AsyncGenerator[None]:
    task = asyncio.create_task(session.serve(), name=f"session {session.id}")
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await session.close()


async def _open(options: SessionOptions, resume: str | None, fork: bool, session_id: str | None) -> Opened:
    opening = asyncio.ensure_future(asyncio.to_thread(_open_journal, options, resume, fork, session_id))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        # The thread goes on: what it opens must not stay locked, nor an empty session stay behind.
        await asyncio.wait({opening})
        if opening.exception() is None:
            opening.result().release()
        raise


def _open_journal(options: SessionOptions, resume: str | None, fork: bool, session_id: str | None) -> Opened:
    if resume is None:
        return open_new(options.home, options.workdir, session_id=session_id)
    return open_copy(options.home, resume) if fork else open_existing(options.home, resume)


class _Parts:
    """What a session's turns are made of, kept from turn to turn and renewed when settings change."""

    def __init__(
        self,
        options: SessionOptions,
        rules: RuleSet,
        *,
        notices: tuple[Phrase, ...],
        tell: Callable[[Phrase | None], None],
    ) -> None:
        self._tell = tell
        self._options = options
        self._rules = rules
        self._notices = notices  # for the first turn
        self._model: ChatModel | None = None
        self._endpoints: tuple[Endpoint, Endpoint | None] | None = None
        self._prices: asyncio.Task[None] | None = None

    async def configure(self, context: ToolContext, confines: Callable[[], bool], *, peek: bool = False) -> TurnConfig:
        """`confines` says whether commands can be confined now. `peek` leaves the notices for the next turn, and the
        model of a running one open: what it gives is to be looked at, not called.

        Raises `CannotRun`.
        """
        options = self._options
        settings = options.source.reload()
        if not isinstance(settings, Settings):
            self._notices = (*self._notices, settings.phrase)
            settings = options.source.current()
        model = await self._current_model(settings, options.source.environ, keep=not peek)
        notices = self._notices
        if not peek:
            self._notices = ()
        endpoint = model.endpoint
        tools = (*(lean_tools() if endpoint.profile.lean_prompt else default_tools()), *options.extra_tools)
        toolbox = Toolbox(tools)
        window = endpoint.context_window or DEFAULT_WINDOW_TOKENS
        agent = settings.agent
        context.web.choice = _search_choice(settings)
        context.web.refuses = lambda url: _bound_by(url, self._rules)
        return TurnConfig(
            model=model,
            base=ModelRequest(
                messages=(),
                system=system_prompt(lean=endpoint.profile.lean_prompt, appended=options.system_append),
                tools=toolbox.specs,
                max_output_tokens=settings.llm.max_output_tokens,
                thinking_budget=settings.llm.thinking_budget if settings.llm.thinking == "enabled" else 0,
                frequency_penalty=options.frequency_penalty,
                presence_penalty=options.presence_penalty,
            ),
            toolbox=toolbox,
            rules=self._rules,
            scope=lambda: make_scope(options, context.cwd, context.web.known.all, sandboxed=confines()),
            max_steps=options.max_steps or agent.max_tool_iterations or options.default_steps,
            closing_call=options.max_steps is None,
            parallel_calls=agent.parallel_max_workers,
            compact_at=min(agent.token_threshold, int(window * agent.compression_threshold)),
            max_cost_usd=options.max_cost_usd,
            price=lambda usage: cost_usd(endpoint, usage),
            interactive=options.interactive,
            rule_files=RuleFiles(options.home, options.workdir),
            ask_timeout_s=settings.permissions.ask_timeout_s,
            notices=notices,
        )

    async def close(self) -> None:
        if self._prices is not None:
            # Waited for, not awaited: whoever is cancelled here must not cancel it, nor get its error.
            await asyncio.wait({self._prices})
            self._prices = None
        if self._model is not None:
            await self._model.aclose()
            self._model = None

    async def _current_model(self, settings: Settings, environ: Mapping[str, str], *, keep: bool) -> ChatModel:
        """The model that the settings name now; the one of the last turn if that has not changed."""
        endpoints = _endpoints(settings, environ)
        if self._model is None or endpoints != self._endpoints:
            if not keep:
                return _model_at(endpoints, self._options.home, self._tell)  # Nothing is opened before it is called.
            await self.close()
            self._model = _model_at(endpoints, self._options.home, self._tell)
            self._endpoints = endpoints
            if may_cost(endpoints[0]):
                # A quarter of a second of importing, while the model is thinking anyway.
                self._prices = asyncio.create_task(asyncio.to_thread(load_prices), name="load prices")
        return self._model


def _repairs(opened: Opened) -> tuple[Phrase, ...]:
    path, told = opened.journal.path, list[Phrase]()
    if opened.torn:
        told.append(Phrase("notice.torn", path=path, bytes=opened.torn))
    if opened.damaged:
        told.append(Phrase("notice.damaged", path=path, lines=opened.damaged))
    return tuple(told)


def _status(phrase: Phrase | None) -> Status:
    if phrase is None:
        return Status(text="")
    return Status(text=texts("en").say(phrase), code=phrase.key, values=phrase.values)


def _endpoints(settings: Settings, environ: Mapping[str, str]) -> tuple[Endpoint, Endpoint | None]:
    """The model's endpoint and the fallback's. Raises `CannotRun`."""
    from helloclaw.llm.providers import UnknownModel

    try:
        main = endpoint_from(settings, environ)
        name = settings.llm.fallback_model_id
        return main, (endpoint_from(settings, environ, model_id=name) if name else None)
    except UnknownModel as problem:
        raise CannotRun(problem.message, problem.hint, problem.phrase) from problem


def _model_at(
    endpoints: tuple[Endpoint, Endpoint | None], home: Home, tell: Callable[[Phrase | None], None]
) -> ChatModel:
    main, fallback = endpoints
    if main.profile.name == "local":
        from helloclaw.llm.local import LocalModel

        return LocalModel(main, home.models, on_status=tell)
    return open_model(main, fallback)


def gather_rules(settings: Settings, options: SessionOptions) -> RuleSet:
    """The person's rules from settings and file, the project's, and those given for this session.

    A project's rules only tighten until the person has trusted its directory.

    Raises `BadRule` for the first that can't be read: a guard with a hole is no guard.
    """
    said = settings.permissions
    rules = RuleSet(
        allow=tuple(parse_rule(text, source="user") for text in said.allow),
        deny=tuple(parse_rule(text, source="user") for text in said.deny),
        ask=tuple(parse_rule(text, source="user") for text in said.ask),
    )
    saved = load_rules(options.home.permissions, source="user")
    project = load_rules(options.workdir / ".claude" / "permissions.json", source="project")
    if not (project.allow and is_trusted(options.home, options.workdir)):
        project = project.tightening()
    flags = tuple(parse_rule(text, source="flag") for text in options.allow)
    own = tuple(parse_rule(tool.name, source="flag") for tool in options.extra_tools)
    return RuleSet(
        allow=(*rules.allow, *saved.allow, *project.allow, *flags, *own),
        deny=(*rules.deny, *saved.deny, *project.deny),
        ask=(*rules.ask, *saved.ask, *project.ask),
    )


class _Confinement:
    """Whether a command could be confined now. The system is only tried once that matters, in the mode `auto`."""

    def __init__(self, options: SessionOptions, standing: Standing, shell: ShellState) -> None:
        self._options = options
        self._standing = standing
        self._shell = shell
        self._sandbox: SessionSandbox | None = None

    def __call__(self) -> bool:
        options = self._options
        if self._standing.mode != "auto" or options.source.current().permissions.sandbox == "off":
            return False
        if self._sandbox is None:
            from helloclaw.sandbox.offer import probe
            from helloclaw.sandbox.session import SessionSandbox

            home = person_home(os.environ)
            self._sandbox = SessionSandbox(probe(), workdir=options.workdir, home=home, product_home=options.home.root)
            self._shell.sandbox = self._sandbox
        return not self._sandbox.check()


def make_scope(
    options: SessionOptions, cwd: Path, known_urls: frozenset[str] = frozenset(), *, sandboxed: bool = False
) -> Scope:
    """Where calls happen: working directory and home workspace are free to read, the agent's controls closed."""
    workdir = Path(os.path.realpath(options.workdir))
    workspace = Path(os.path.realpath(options.home.workspace))
    return Scope(
        workdir=workdir,
        cwd=Path(os.path.realpath(cwd)),
        home=person_home(os.environ),
        roots=(workdir, workspace, *(Path(os.path.realpath(each)) for each in options.add_dirs)),
        controls=control_paths(workdir, options.home.root),
        sandboxed=sandboxed,
        known_urls=known_urls,
    )


def _search_choice(settings: Settings) -> SearchChoice:
    return SearchChoice(
        provider=settings.web.search_provider,
        brave_api_key=settings.env.brave_api_key,
        tavily_api_key=settings.env.tavily_api_key,
    )


def _bound_by(url: str, rules: RuleSet) -> str | None:
    """The rule that keeps a redirect from being followed: it would have been refused, or asked about, by itself."""
    bound = next(
        (rule for rule in (*rules.deny, *rules.ask) if rule.family == "WebFetch" and binds_url(rule, url)), None
    )
    return f"the rule {bound.text} is about that address; fetch it by itself" if bound else None
