"""A first start: language, something to talk to, a model, a real call, and only then a `config.json`.

Each question has an answer ready, so that Enter is enough; Esc goes back; Ctrl-C leaves. Nothing is written before the
end. The way through is in `steps`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, assert_never

from msgspec import Struct, structs

from helloclaw.i18n import Lang, Texts, texts
from helloclaw.llm.address import shown_address
from helloclaw.llm.events import Failed
from helloclaw.llm.local_servers import LocalServer, Place, find_local_servers
from helloclaw.llm.providers import UnknownModel, profile_named
from helloclaw.llm.wire import Endpoint
from helloclaw.repl.first_start.asking import Asking
from helloclaw.repl.first_start.offers import offer_choice, offers
from helloclaw.repl.first_start.steps import Answers, Offer, Step, after, before, cleaned
from helloclaw.repl.first_start.trying import try_out
from helloclaw.repl.first_start.waiting import GivenUp
from helloclaw.repl.menu import Choice, Interrupted, Menu
from helloclaw.settings.endpoint import endpoint_from
from helloclaw.settings.environment import Given
from helloclaw.settings.files import short
from helloclaw.settings.source import SettingsSource
from helloclaw.settings.values import Origin
from helloclaw.settings.write import write_settings
from helloclaw.wording.failure import failure_text
from helloclaw.wording.plain import one_line

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from helloclaw.storage.paths import Home

_LIST_S = 6.0
_LONG_LIST = 9
_OTHER_NAME = object()

# The answers with one more in them, or where to go instead: a step back, or to the choice of what to talk to.
_Said = Answers | Literal["back", "elsewhere"]


class Outcome(Struct, frozen=True, kw_only=True):
    """The language that was chosen, and whether a conversation is to follow. If not, nothing was written."""

    lang: Lang
    go_on: bool


async def first_start(
    *,
    home: Home,
    environ: Mapping[str, str],
    source: SettingsSource,
    say: Texts,
    places: Sequence[Place] | None = None,
    keys: Input | None = None,
    output: Output | None = None,
) -> Outcome:
    """Ask, write, and have `source` read what was written. `say` speaks the chosen language from then on.

    `environ` is the process's. `places` are where servers of this computer are looked for, the usual ones if None.
    Raises `SettingsError`, `Busy`, `OSError` if the settings can't be written.
    """
    looking = asyncio.create_task(find_local_servers(source.environ, places), name="local servers")
    try:
        return await _Wizard(home, environ, source, Asking(say, keys, output), looking).run()
    finally:
        looking.cancel()


class _Wizard:
    def __init__(
        self,
        home: Home,
        environ: Mapping[str, str],
        source: SettingsSource,
        asking: Asking,
        looking: asyncio.Task[list[LocalServer]],
    ) -> None:
        self._home = home
        self._environ = environ
        self._source = source
        self._asking = asking
        self._say = asking.say
        self._looking = looking

    async def run(self) -> Outcome:
        answers = Answers(lang=self._say.lang)
        step: Step = "language"
        try:
            while step not in ("save", "left"):
                match await self._ask(step, answers):
                    case "back":
                        step = before(step, answers)
                    case "elsewhere":
                        step = "offer"
                    case said:
                        answers, step = said, after(step, said)
        except Interrupted:
            step = "left"
        if step == "left":
            return Outcome(lang=answers.lang, go_on=False)
        self._save(answers)
        return Outcome(lang=answers.lang, go_on=True)

    async def _ask(self, step: Step, answers: Answers) -> _Said:
        try:
            match step:
                case "language":
                    return await self._language(answers)
                case "offer":
                    return await self._offer(answers)
                case "address":
                    return await self._address(answers)
                case "key":
                    return await self._key(answers)
                case "model":
                    return await self._model(answers)
                case "trial":
                    return await self._trial(answers)
                case "save" | "left":
                    raise AssertionError(step)
                case _:
                    assert_never(step)
        except GivenUp:
            return "back"

    async def _language(self, answers: Answers) -> _Said:
        names: tuple[Lang, ...] = ("zh", "en")
        choices = tuple(Choice(lang, texts(lang)("first.language.name")) for lang in names)
        title = " / ".join(texts(lang)("first.language") for lang in names)
        lang = await self._asking.choose(Menu(choices, cursor=names.index(answers.lang)), title)
        if lang is None:
            return "back"
        self._say.switch(lang)
        return structs.replace(answers, lang=lang)

    async def _offer(self, answers: Answers) -> _Said:
        servers = await self._asking.wait(self._servers(), self._say("first.looking"))
        found = offers(self._source.current(), self._source.environ, servers, self._home.models)
        choices = tuple(offer_choice(offer, self._say) for offer in found)
        cursor = found.index(answers.offer) if answers.offer in found else 0
        offer = await self._asking.choose(Menu(choices, cursor=cursor), self._say("first.offer"))
        return "back" if offer is None else Answers(lang=answers.lang, offer=offer)

    async def _servers(self) -> list[LocalServer]:
        return await asyncio.shield(self._looking)

    async def _address(self, answers: Answers) -> _Said:
        question = asked = self._say("first.address.ask")
        written = answers.base_url
        while True:
            said = await self._asking.text(question, default=written)
            if said is None:
                return "back"
            written = cleaned(said)
            if not written:
                continue
            try:
                endpoint = self._endpoint(structs.replace(answers, base_url=written, model="any"))
            except UnknownModel as problem:
                question = f"{one_line(self._say.say(problem.phrase))}\n{asked}"
            else:
                return structs.replace(answers, base_url=endpoint.base_url)

    async def _key(self, answers: Answers) -> _Said:
        offer = _offered(answers)
        needed = offer.kind == "provider"
        key = "first.key.ask" if needed else "first.key.optional"
        question = self._say(key, provider=offer.name, address=one_line(shown_address(answers.base_url)))
        while True:
            said = await self._asking.text(question, secret=True)
            if said is None:
                return "back"
            if (api_key := cleaned(said)) or not needed:
                return structs.replace(answers, api_key=api_key)

    async def _model(self, answers: Answers) -> _Said:
        offer = _offered(answers)
        profile = profile_named(offer.provider) if offer.provider else None
        names, problem = await self._names(answers)
        usual = profile.default_model if profile else ""
        rows = [Choice(usual, usual, self._say("first.model.default"))] if usual else []
        rows += [Choice(name, name) for name in names if name != usual]
        rows.append(Choice(_OTHER_NAME, self._say("first.model.other")))
        title = f"{one_line(problem)}\n{self._say('first.model')}" if problem else self._say("first.model")
        cursor = next((place for place, row in enumerate(rows) if row.value == answers.model), 0)
        menu = Menu(tuple(rows), cursor=cursor, searchable=len(rows) > _LONG_LIST)
        picked = await self._asking.choose(menu, title)
        while picked is _OTHER_NAME:
            said = await self._asking.text(self._say("first.model.ask"), default=answers.model)
            picked = None if said is None else cleaned(said) or _OTHER_NAME
        return "back" if picked is None else structs.replace(answers, model=picked)

    async def _names(self, answers: Answers) -> tuple[list[str], str]:
        """The models that the server has, and why it does not tell if it doesn't."""
        known = _offered(answers).models
        if known:
            return list(known), ""
        answer = await self._asking.wait(self._listed(answers), self._say("first.listing"))
        if isinstance(answer, str):
            return [], answer
        return [name.removeprefix("models/") for name in answer], ""

    async def _listed(self, answers: Answers) -> list[str] | str:
        from helloclaw.llm.transport import Transport

        transport = Transport()
        try:
            endpoint = structs.replace(self._endpoint(structs.replace(answers, model="any")), timeout_s=_LIST_S)
            async with asyncio.timeout(_LIST_S):
                answer = await transport.list_models(endpoint)
        except TimeoutError:
            return self._say("first.list_silent", seconds=f"{_LIST_S:.0f}")
        except UnknownModel as problem:
            return self._say.say(problem.phrase)
        finally:
            await transport.aclose()
        return (
            self._say("first.list_failed", why=failure_text(answer, self._say))
            if isinstance(answer, Failed)
            else answer
        )

    async def _trial(self, answers: Answers) -> _Said:
        decision = await try_out(
            self._asking,
            answers.model_id,
            lambda: self._endpoint(answers),
            self._source.current().llm,
            models=self._home.models,
            environ=self._source.environ,
        )
        match decision:
            case None:
                return "back"
            case "change":
                return "elsewhere"
            case "works" | "keep":
                return answers

    def _save(self, answers: Answers) -> None:
        write_settings(self._home, answers.settings(), self._environ)
        self._source.reload()
        path = short(self._home.config, self._environ)
        said = self._say("first.saved", model=answers.model_id, path=path)
        self._asking.tell(f"{self._asking.mark('ok')} {said}")

    def _endpoint(self, answers: Answers) -> Endpoint:
        """Where the answers lead once they are written, variables and all. Raises `UnknownModel`."""
        given = {key: Given(value, Origin("file")) for key, value in answers.settings().items()}
        source = SettingsSource(self._home, self._environ, given)
        return endpoint_from(source.current(), source.environ)


def _offered(answers: Answers) -> Offer:
    if answers.offer is None:
        raise AssertionError("asked before something to talk to was chosen")
    return answers.offer
