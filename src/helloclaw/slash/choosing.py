"""Commands that choose: the mode, the model, the language, the colours."""

from __future__ import annotations

import asyncio
from typing import get_args

from helloclaw.i18n import Phrase, Texts
from helloclaw.protocol.commands import SetMode
from helloclaw.protocol.events import Mode
from helloclaw.slash import base
from helloclaw.slash.base import BadArgument, Host, Reply, SlashCommand
from helloclaw.wording.markdown import code
from helloclaw.wording.plain import one_line


async def _mode(argument: str, host: Host) -> Reply:
    match argument:
        case "default" | "plan" | "auto":
            host.session.send(SetMode(mode=argument))
            return Reply(markdown=host.say("repl.mode", mode=argument))
        case "":
            return Reply(markdown=host.say("repl.mode", mode=host.session.mode))
        case _:
            return Reply(markdown=host.say("repl.bad_mode", mode=one_line(argument, 60)), level="error")


async def _model(argument: str, host: Host) -> Reply:
    """Resolved before it is written: a name that means nothing changes nothing."""
    from helloclaw.llm.providers import UnknownModel
    from helloclaw.settings.choose import choose_model
    from helloclaw.settings.endpoint import endpoint_from
    from helloclaw.settings.problems import SettingsError
    from helloclaw.storage.locks import Busy

    source, say = host.source, host.say
    if not argument:
        return Reply(markdown=_current_model(host), effect=base.PickModel())
    try:
        endpoint_from(source.current(), source.environ, model_id=argument)
        dropped = choose_model(host.home, argument, source.environ)
    except UnknownModel as unknown:
        return Reply(markdown=say.say(unknown.phrase), level="error")
    except SettingsError as problem:
        return Reply(markdown=say.say(problem.phrase), level="error")
    except Busy as busy:
        return Reply(markdown=say("error.locked", path=one_line(str(busy))), level="error")
    except OSError as error:
        why = error.strerror or str(error)
        return Reply(markdown=say("error.file", path=one_line(str(host.home.config)), why=why), level="error")
    source.override("llm.model_id", argument)
    text = say("slash.model.now", model=code(argument))
    if dropped:
        text += "\n\n" + say("slash.model.dropped", keys=", ".join(dropped))
    return Reply(markdown=text)


def _current_model(host: Host) -> str:
    """What the next message would go to; empty where that is nothing yet."""
    from helloclaw.llm.providers import UnknownModel
    from helloclaw.settings.endpoint import endpoint_from
    from helloclaw.settings.problems import SettingsError

    try:
        endpoint = endpoint_from(host.source.current(), host.source.environ)
    except (UnknownModel, SettingsError):
        return ""
    return host.say("slash.model.is", model=code(endpoint.origin))


async def _lang(argument: str, host: Host) -> Reply:
    match argument:
        case "en" | "zh":
            # Said in the language that was chosen, by the front end that speaks it then.
            from helloclaw.i18n import texts

            say = texts(argument)
            told = (say("slash.lang.now"), await _keep(host, say, "ui.lang", argument))
            return Reply(markdown="\n\n".join(filter(None, told)), effect=base.SwitchLanguage(argument))
        case "":
            return Reply(markdown=host.say("slash.lang.is", lang=host.say.lang))
        case _:
            raise BadArgument


async def _theme(argument: str, host: Host) -> Reply:
    match argument:
        case "auto" | "dark" | "light":
            told = (host.say("slash.theme.now", theme=argument), await _keep(host, host.say, "ui.theme", argument))
            return Reply(markdown="\n\n".join(filter(None, told)), effect=base.SwitchTheme(argument))
        case "":
            return Reply(markdown=host.say("slash.theme.is", theme=host.source.current().ui.theme))
        case _:
            raise BadArgument


async def _keep(host: Host, say: Texts, key: str, value: str) -> str:
    """Written where it can be; for this process it counts all the same. What is to be said of that, if anything."""
    from helloclaw.i18n.system import reason_of
    from helloclaw.settings.files import short
    from helloclaw.settings.problems import SettingsError
    from helloclaw.settings.write import write_settings
    from helloclaw.storage.locks import Busy

    path = one_line(short(host.home.config, host.environ))
    told = ""
    try:
        await asyncio.to_thread(write_settings, host.home, {key: value}, host.source.environ)
    except SettingsError as problem:
        told = say("slash.not_kept", path=path, why=problem.phrase)
    except Busy:
        told = say("slash.not_kept", path=path, why=Phrase("slash.not_kept.locked"))
    except OSError as error:
        told = say("slash.not_kept", path=path, why=reason_of(error))
    host.source.override(key, value)
    return told


def _known_models(_: Host) -> list[str]:
    """The providers' own proposals, for completion."""
    from helloclaw.llm.providers import PROVIDERS

    return [f"{profile.name}/{profile.default_model}" for profile in PROVIDERS if profile.default_model]


COMMANDS = (
    SlashCommand(name="mode", run=_mode, usage="[default|plan|auto]", choices=lambda _: list(get_args(Mode))),
    SlashCommand(name="model", run=_model, usage="[NAME]", choices=_known_models),
    SlashCommand(name="lang", run=_lang, usage="[en|zh]", choices=lambda _: ["en", "zh"]),
    SlashCommand(name="theme", run=_theme, usage="[auto|dark|light]", choices=lambda _: ["auto", "dark", "light"]),
)
