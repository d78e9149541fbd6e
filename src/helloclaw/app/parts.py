"""What a session's turns are made of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from msgspec import structs

from helloclaw.agent.config import TurnConfig
from helloclaw.agent.prompt import joined
from helloclaw.app.briefing import Brief, Briefing
from helloclaw.app.models import endpoints_of, model_at
from helloclaw.app.options import SessionOptions
from helloclaw.app.rules import bound_by, make_scope
from helloclaw.app.subagents import tools_for
from helloclaw.i18n import Phrase
from helloclaw.llm.messages import ModelRequest
from helloclaw.llm.model import ChatModel
from helloclaw.llm.pricing import cost_usd, load_prices, may_cost
from helloclaw.llm.wire import Endpoint
from helloclaw.permissions.keeping import RuleFiles
from helloclaw.permissions.rules import RuleSet
from helloclaw.settings.values import Settings
from helloclaw.tools.context import ToolContext
from helloclaw.tools.registry import Toolbox, default_tools, lean_tools
from helloclaw.tools.web.access import SearchChoice

DEFAULT_WINDOW_TOKENS = 128_000


class Parts:
    """What a session's turns are made of, kept from turn to turn and renewed when settings change."""

    def __init__(
        self,
        options: SessionOptions,
        rules: RuleSet,
        briefing: Briefing,
        *,
        notices: tuple[Phrase, ...],
        tell: Callable[[Phrase | None], None],
    ) -> None:
        self._tell = tell
        self._options = options
        self._rules = rules
        self._briefing = briefing
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
        endpoint = model.endpoint
        brief = await asyncio.to_thread(self._briefing.look, context.cwd, lean=endpoint.profile.lean_prompt)
        self._notices = (*self._notices, *brief.notices)
        notices = self._notices
        if not peek:
            self._notices = ()
        tools = (*(lean_tools() if endpoint.profile.lean_prompt else default_tools()), *options.extra_tools)
        toolbox = Toolbox(tools_for(options, tools))
        window = endpoint.context_window or DEFAULT_WINDOW_TOKENS
        agent = settings.agent
        base = ModelRequest(
            messages=(),
            system=joined(brief.parts),
            tools=toolbox.specs,
            max_output_tokens=settings.llm.max_output_tokens,
            thinking_budget=settings.llm.thinking_budget if settings.llm.thinking == "enabled" else 0,
            frequency_penalty=options.frequency_penalty,
            presence_penalty=options.presence_penalty,
        )
        room = int(window * agent.compression_threshold)
        context.web.choice = _search_choice(settings)
        context.web.refuses = lambda url: bound_by(url, self._rules)
        return TurnConfig(
            model=model,
            base=base,
            toolbox=toolbox,
            rules=self._rules,
            scope=lambda: make_scope(
                options,
                context.cwd,
                context.web.known.all,
                sandboxed=confines(),
                readable=context.skills.readable(),
            ),
            max_steps=options.max_steps or agent.max_tool_iterations or options.default_steps,
            closing_call=options.max_steps is None,
            parallel_calls=agent.parallel_max_workers,
            compact_at=min(agent.token_threshold, room),
            flush_at=room - agent.soft_threshold_tokens,
            renew_base=lambda: self._renewed(base, context, lean=endpoint.profile.lean_prompt),
            notes_to_tell=self._briefing.notes_to_tell,
            prompt=brief.parts,
            captures=settings.memory.capture,
            flushes=settings.memory.flush,
            notes_sessions=settings.memory.session_notes and not endpoint.profile.lean_prompt,
            hint=self._briefing.hint,
            by_schedule=options.by_schedule,
            turn_over=self._briefing.settle,
            max_cost_usd=options.max_cost_usd,
            price=lambda usage: cost_usd(endpoint, usage),
            interactive=options.interactive,
            rule_files=RuleFiles(options.home, options.workdir),
            ask_timeout_s=settings.permissions.ask_timeout_s,
            notices=notices,
        )

    def _renewed(self, base: ModelRequest, context: ToolContext, *, lean: bool) -> ModelRequest:
        """`base` with what was learnt since as part of the prompt."""
        self._briefing.thaw()
        brief: Brief = self._briefing.look(context.cwd, lean=lean)
        self._notices = (*self._notices, *brief.notices)
        return structs.replace(base, system=joined(brief.parts))

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
        endpoints = endpoints_of(settings, environ)
        if self._model is None or endpoints != self._endpoints:
            if not keep:
                return model_at(endpoints, self._options.home, self._tell)  # Nothing is opened before it is called.
            await self.close()
            self._model = model_at(endpoints, self._options.home, self._tell)
            self._endpoints = endpoints
            if may_cost(endpoints[0]):
                # A quarter of a second of importing, while the model is thinking anyway.
                self._prices = asyncio.create_task(asyncio.to_thread(load_prices), name="load prices")
        return self._model


def _search_choice(settings: Settings) -> SearchChoice:
    return SearchChoice(
        provider=settings.web.search_provider,
        brave_api_key=settings.env.brave_api_key,
        tavily_api_key=settings.env.tavily_api_key,
    )
