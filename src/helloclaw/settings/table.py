"""Every setting as a row: its key, its type, its environment variables. Made from `values`, so that it can't drift."""

from __future__ import annotations

import functools
from typing import Any, get_args, get_type_hints

import msgspec
from msgspec import Struct

from helloclaw.i18n import Phrase
from helloclaw.settings.values import Settings

# Both seeds' names. The variables that name a model, its address and its key come in two families, of which one counts;
# see `environment`.
VARIABLES: dict[str, tuple[str, ...]] = {
    "llm.model_id": ("LLM_MODEL_ID", "MODEL_ID"),
    "llm.api_key": ("LLM_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "llm.base_url": ("LLM_BASE_URL", "ANTHROPIC_BASE_URL"),
    "llm.timeout_s": ("LLM_TIMEOUT",),
    "llm.stream": ("LLM_STREAM",),
    "llm.thinking": ("LLM_THINKING",),
    "llm.thinking_budget": ("LLM_THINKING_BUDGET",),
    "env.brave_api_key": ("BRAVE_API_KEY",),
    "env.tavily_api_key": ("TAVILY_API_KEY",),
    "env.workspace_path": ("WORKSPACE_PATH",),
    "env.port": ("PORT",),
    "env.no_color": ("NO_COLOR",),
}


class Setting(Struct, frozen=True, kw_only=True):
    """One row. `key` is `section.name`, or the bare section for one that is a mapping of its own (`mcp_servers`)."""

    key: str
    type: Any
    default: Any
    variables: tuple[str, ...] = ()

    @property
    def section(self) -> str:
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        return self.key.rpartition(".")[2]

    @property
    def in_file(self) -> bool:
        """Whether `config.json` may say it."""
        return self.section != "env"

    @property
    def secret(self) -> bool:
        """Whether its value must never be shown."""
        return self.name.endswith("api_key") or self.key == "mcp_servers"


@functools.cache
def all_settings() -> dict[str, Setting]:
    """Every setting by key, in the order of `values`."""
    blank = Settings()
    rows: list[Setting] = []
    for section, section_type in get_type_hints(Settings).items():
        if section == "origins":
            continue
        if not (isinstance(section_type, type) and issubclass(section_type, Struct)):
            rows.append(Setting(key=section, type=section_type, default=getattr(blank, section)))
            continue
        hints = get_type_hints(section_type, include_extras=True)
        for name, field_type in hints.items():
            key = f"{section}.{name}"
            default = getattr(getattr(blank, section), name)
            rows.append(Setting(key=key, type=field_type, default=default, variables=VARIABLES.get(key, ())))
    return {row.key: row for row in rows}


def checked(setting: Setting, value: Any) -> Any:
    """`value` as the setting's type. Raises `msgspec.ValidationError`."""
    return msgspec.convert(value, setting.type, strict=True)


def choices(setting: Setting) -> tuple[str, ...]:
    """The words a setting accepts, if it accepts only some."""
    return tuple(value for value in get_args(setting.type) if isinstance(value, str))


def expectation(setting: Setting) -> Phrase:
    """What a setting accepts, to be spoken in an error: "true or false", "a whole number, at least 1"."""
    if words := choices(setting):
        return Phrase("type.one_of", choices=" | ".join(words))
    return _expected(msgspec.inspect.type_info(setting.type))


def _expected(kind: msgspec.inspect.Type) -> Phrase:
    inspect = msgspec.inspect
    match kind:
        case inspect.UnionType():
            return next(_expected(part) for part in kind.types if not isinstance(part, inspect.NoneType))
        case inspect.BoolType():
            return Phrase("type.bool")
        case inspect.IntType() | inspect.FloatType():
            return _expected_number(kind)
        case inspect.VarTupleType():
            return Phrase("type.texts")
        case inspect.DictType():
            return Phrase("type.object")
        case _:
            return Phrase("type.text")


def _expected_number(kind: msgspec.inspect.IntType | msgspec.inspect.FloatType) -> Phrase:
    whole = Phrase("type.int" if isinstance(kind, msgspec.inspect.IntType) else "type.number")
    if kind.ge is not None and kind.le is not None:
        return Phrase("type.between", what=whole, least=kind.ge, most=kind.le)
    if kind.gt is not None and kind.le is not None:
        return Phrase("type.above_up_to", what=whole, above=kind.gt, most=kind.le)
    if kind.ge is not None:
        return Phrase("type.at_least", what=whole, least=kind.ge)
    if kind.gt is not None:
        return Phrase("type.above", what=whole, above=kind.gt)
    return whole
