"""What a slash command is, what it may use, and what it may ask of a front end. Values, no screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

from helloclaw.i18n import Lang, Texts

if TYPE_CHECKING:
    from helloclaw.agent.session import Session
    from helloclaw.settings.source import SettingsSource
    from helloclaw.storage.paths import Home


class Host(Protocol):
    """A front end with a session."""

    @property
    def session(self) -> Session: ...

    @property
    def source(self) -> SettingsSource: ...

    @property
    def home(self) -> Home: ...

    @property
    def say(self) -> Texts: ...

    @property
    def environ(self) -> Mapping[str, str]: ...


class Leave(Struct, frozen=True, tag="leave"):
    pass


class NewSession(Struct, frozen=True, tag="new_session"):
    pass


class Resume(Struct, frozen=True, tag="resume"):
    """Go on with another session; without an id the person chooses one."""

    session_id: str | None = None


class Fork(Struct, frozen=True, tag="fork"):
    """Go on in a copy."""


class PickRewind(Struct, frozen=True, tag="pick_rewind"):
    """Let the person choose a message to go back to."""


class RewindTo(Struct, frozen=True, tag="rewind_to"):
    seq: int
    files: bool = False


class SwitchLanguage(Struct, frozen=True, tag="switch_language"):
    lang: Lang


class SwitchTheme(Struct, frozen=True, tag="switch_theme"):
    theme: Literal["auto", "dark", "light"]


class SendText(Struct, frozen=True, tag="send_text"):
    """Say this to the model: what a command of the person's own stands for."""

    text: str


class ShowPart(Struct, frozen=True, tag="show_part"):
    """Show whole what was folded; the last part without a number."""

    number: int | None = None


class RunDoctor(Struct, frozen=True, tag="run_doctor"):
    pass


class PickModel(Struct, frozen=True, tag="pick_model"):
    """Let the person choose a model."""


Effect = (
    Leave
    | NewSession
    | Resume
    | Fork
    | PickRewind
    | RewindTo
    | SwitchLanguage
    | SwitchTheme
    | SendText
    | ShowPart
    | RunDoctor
    | PickModel
)


class Reply(Struct, frozen=True, kw_only=True):
    """What to show, as Markdown, and what to do."""

    markdown: str = ""
    effect: Effect | None = None
    level: Literal["info", "error"] = "info"


Run = Callable[[str, Host], Awaitable[Reply]]


@dataclass(frozen=True, kw_only=True)
class SlashCommand:
    """`run` gets what stands after the name. `usage` shows the arguments; `about` is the description, in words if the
    command is the person's own, else from the catalogue under `slash.NAME`. `choices` are what its argument can be.
    A command that is not `ready` only says so.
    """

    name: str
    run: Run
    usage: str = ""
    about: str = ""
    choices: Callable[[Host], list[str]] | None = None
    aliases: tuple[str, ...] = ()
    ready: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    @property
    def takes_argument(self) -> bool:
        return bool(self.usage)

    def described(self, say: Texts) -> str:
        return self.about or say(f"slash.{self.name}")


class BadArgument(Exception):
    """What stands after a command's name makes no sense for it; its usage says what would."""
