"""All that may be asked before a conversation begins, each only where it is due: a first start, the mode, trust."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from helloclaw.i18n import Texts
from helloclaw.protocol.events import Mode
from helloclaw.repl.first_start import asks_for_mode, needs_first_start
from helloclaw.repl.menu import Choice, Interrupted, Menu, choose
from helloclaw.settings.trust import decline, is_trusted, question_due, trust
from helloclaw.settings.write import write_settings
from helloclaw.wording.plain import one_line

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from helloclaw.settings.source import SettingsSource
    from helloclaw.storage.paths import Home

_MODES: tuple[Mode, ...] = ("default", "plan", "auto")


async def ask_what_is_due(
    *, home: Home, environ: Mapping[str, str], source: SettingsSource, say: Texts, workdir: Path
) -> bool:
    """Ask it, remember the answers, and have `source` read them. False if the person has left.

    Raises `SettingsError`, `Busy`, `OSError` if an answer can't be kept.
    """
    try:
        if needs_first_start(source):
            from helloclaw.repl.first_start.wizard import first_start

            outcome = await first_start(home=home, environ=environ, source=source, say=say)
            if not outcome.go_on:
                return False
        if asks_for_mode(source) and (mode := await ask_mode(say, source.current().permissions.mode)):
            remember_mode(home, mode, environ)
            source.reload()
            print(say("mode.remembered", mode=mode))  # noqa: T201 - before there is a screen
        due = bool(question_due(home, workdir))
        if not await ask_trust(say, home, workdir) and due:
            print(say("trust.later"))  # noqa: T201 - as above
    except Interrupted:
        return False
    return True


async def ask_mode(
    say: Texts, current: Mode, *, keys: Input | None = None, output: Output | None = None
) -> Mode | None:
    """The permission mode that the person wants, None if the question was left with Esc. Raises `Interrupted`."""
    choices = tuple(Choice(mode, mode, say(f"mode.{mode}")) for mode in _MODES)
    menu = Menu(choices, cursor=_MODES.index(current))
    return await choose(menu, say("mode.ask"), keys, output, say=say, interruptible=True)


def remember_mode(home: Home, mode: Mode, environ: Mapping[str, str]) -> None:
    """Write it to `config.json`. Raises `SettingsError`, `Busy`, `OSError`."""
    write_settings(home, {"permissions.mode": mode}, environ)


async def ask_trust(
    say: Texts, home: Home, directory: Path, *, keys: Input | None = None, output: Output | None = None
) -> bool:
    """Whether what `directory` brings may take effect; asked only if something waits that nobody decided about.

    The answer ready is no. A no is remembered for what was shown; leaving the question is a no for this time.
    Raises `Interrupted`, and `SettingsError`, `Busy`, `OSError` if an answer can't be kept.
    """
    seen = question_due(home, directory)
    if not seen:
        return is_trusted(home, directory)
    shown = [f"  {name}  {say(f'trust.what.{name}')}" for name in seen]
    title = "\n".join([say("trust.question", directory=one_line(str(directory))), *shown])
    choices = (
        Choice(value=False, label=say("trust.no"), about=say("trust.no_about"), key="n"),
        Choice(value=True, label=say("trust.yes"), about=say("trust.yes_about"), key="y"),
    )
    answer = await choose(Menu(choices), title, keys, output, say=say, interruptible=True)
    if answer:
        trust(home, directory, seen)
    elif answer is False:
        decline(home, directory, seen)
    return bool(answer)
