"""What `--help` prints, made from the grammar and the catalogue. Nothing is imported for it that it doesn't show."""

from __future__ import annotations

from collections.abc import Iterable

from helloclaw.cli.grammar import COMMANDS, GLOBAL, HEADLESS, SESSION, Action, Command, Option
from helloclaw.i18n import Texts

_COLUMN = 34


def render_help(speak: Texts, command: Command | None, action: Action | None) -> str:
    """The whole text, without a final newline."""
    if command is None:
        return _program(speak)
    if action is not None or not command.actions:
        return _single(speak, command, action)
    return _with_actions(speak, command)


def _program(speak: Texts) -> str:
    usage = (
        ("helloclaw", "help.usage.repl"),
        ('helloclaw -p "PROMPT"', "help.usage.print"),
        ("helloclaw -c | -r [ID] [--fork]", "help.usage.resume"),
        (speak("help.usage.command_line"), "help.usage.command"),
    )
    commands = [(command.name, f"help.command.{command.name}") for command in COMMANDS if command.ready]
    return "\n\n".join(
        (
            speak("help.about"),
            _section(speak, "help.heading.usage", usage),
            _section(speak, "help.heading.commands", commands),
            _section(speak, "help.heading.options", _rows((*SESSION, *GLOBAL))),
            _section(speak, "help.heading.headless", _rows(HEADLESS)),
            speak("help.exit_codes"),
        )
    )


def _with_actions(speak: Texts, command: Command) -> str:
    actions = [(_line(command, action), f"help.action.{command.name}.{action.name}") for action in command.actions]
    own = [option for action in command.actions for option in action.options]
    return "\n\n".join(
        (
            speak(f"help.command.{command.name}"),
            _section(speak, "help.heading.usage", actions),
            _section(speak, "help.heading.options", _rows((*own, *command.options, *GLOBAL))),
        )
    )


def _single(speak: Texts, command: Command, action: Action | None) -> str:
    about = f"help.action.{command.name}.{action.name}" if action else f"help.command.{command.name}"
    own = (*command.options, *(action.options if action else ()))
    taken = {option.name for option in own}
    rest = [option for option in GLOBAL if option.name not in taken]
    return "\n\n".join(
        (
            speak(about),
            f"{speak('help.heading.usage')}\n  {_line(command, action)}",
            _section(speak, "help.heading.options", _rows((*own, *rest))),
        )
    )


def _line(command: Command, action: Action | None) -> str:
    words = ["helloclaw", command.name]
    if action:
        words += [action.name, *action.arguments]
    return " ".join((*words, *command.arguments))


def _rows(options: Iterable[Option]) -> list[tuple[str, str]]:
    return [(_written(option), option.help_id) for option in options]


def _written(option: Option) -> str:
    flags = ", ".join(option.flags).rjust(len(option.flags[-1]) + 4)
    if not option.metavar:
        return flags
    return f"{flags} [{option.metavar}]" if option.optional else f"{flags} {option.metavar}"


def _section(speak: Texts, heading: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = [speak(heading)]
    for left, text in rows:
        lines.append(f"  {left:<{_COLUMN}}  {speak(text)}" if len(left) <= _COLUMN else f"  {left}")
        if len(left) > _COLUMN:
            lines.append(f"  {'':<{_COLUMN}}  {speak(text)}")
    return "\n".join(lines)
