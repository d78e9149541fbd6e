"""Settings that environment variables name, the process's own before those of `~/.helloclaw/.env`.

Two families of variables name a model, its address and its key: `LLM_…` (an OpenAI-style endpoint) and `MODEL_ID` with
`ANTHROPIC_…`. Only one of them counts at a time, whole, since a model of one at the address of the other is a mistake
and a key of one sent to the other a leak. The first of these that is set decides, the process's before `.env`'s:
`LLM_MODEL_ID`, `MODEL_ID`; and where neither is, `LLM_BASE_URL`, `ANTHROPIC_BASE_URL`. So variables that are there for
another program (`ANTHROPIC_BASE_URL` alone) never displace a model that was chosen for this one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from helloclaw.i18n import Phrase
from helloclaw.settings.dotenv import Assignment
from helloclaw.settings.problems import SettingsError
from helloclaw.settings.table import Setting, all_settings, checked, expectation
from helloclaw.settings.values import Origin

_MODEL = "llm.model_id"
_FAMILIES = (
    {"llm.model_id": ("LLM_MODEL_ID",), "llm.base_url": ("LLM_BASE_URL",), "llm.api_key": ("LLM_API_KEY",)},
    {
        "llm.model_id": ("MODEL_ID",),
        "llm.base_url": ("ANTHROPIC_BASE_URL",),
        "llm.api_key": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    },
)
_TRUE = frozenset({"1", "true", "yes", "on", "enabled"})
_FALSE = frozenset({"0", "false", "no", "off", "disabled"})


class Given(Struct, frozen=True):
    """A value and who gave it."""

    value: Any
    origin: Origin


class Variables(Struct, frozen=True, kw_only=True):
    """The process's environment and the assignments of `.env`; `dotenv_name` is what errors call that file."""

    process: Mapping[str, str]
    dotenv: Mapping[str, Assignment] = {}
    dotenv_name: str = ".env"

    def get(self, name: str) -> tuple[str, Origin] | None:
        """A variable that is set to something: the process's, else `.env`'s."""
        if value := self.process.get(name):
            return value, Origin("environment", name)
        if (assignment := self.dotenv.get(name)) and assignment.value:
            return assignment.value, Origin("dotenv", name)
        return None

    def merged(self) -> dict[str, str]:
        """All of them as one environment, for what looks up a provider's own key."""
        return {name: assignment.value for name, assignment in self.dotenv.items()} | dict(self.process)


def from_environment(variables: Variables) -> dict[str, Given]:
    """Every setting that a variable gives. Raises `SettingsError` for a value of the wrong type."""
    family = _family(variables)
    given: dict[str, Given] = {}
    for setting in all_settings().values():
        for name in family.get(setting.key, setting.variables):
            if found := variables.get(name):
                given[setting.key] = Given(_typed(setting, name, *found, variables), found[1])
                break
    return given


def _family(variables: Variables) -> Mapping[str, tuple[str, ...]]:
    levels = (variables.process, {name: assignment.value for name, assignment in variables.dotenv.items()})
    for key in (_MODEL, "llm.base_url"):
        for level in levels:
            for family in _FAMILIES:
                if any(level.get(name) for name in family[key]):
                    return family
    # No model and no address: the providers' own key variables are found by the provider, so only ours counts here.
    return _FAMILIES[0]


def _typed(setting: Setting, name: str, text: str, origin: Origin, variables: Variables) -> Any:
    if setting.key == "env.no_color":
        return True  # https://no-color.org: whatever it says
    try:
        return checked(setting, _read(setting, text.strip()))
    except (ValueError, msgspec.ValidationError) as error:
        place = name if origin.level == "environment" else _line(variables, name)
        raise SettingsError("settings.bad_variable", place=place, value=text, expected=expectation(setting)) from error


def _line(variables: Variables, name: str) -> Phrase:
    return Phrase("place.line", file=variables.dotenv_name, line=variables.dotenv[name].line)


def _read(setting: Setting, text: str) -> Any:
    """Text as the JSON value it stands for. Raises `ValueError`."""
    word = text.lower()
    if setting.key == "llm.thinking":
        return "enabled" if word in _TRUE else "off" if word in _FALSE else word
    if setting.type is bool:
        return True if word in _TRUE else False if word in _FALSE else text
    if setting.type is str:
        return text
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return int(number) if number.is_integer() else number
