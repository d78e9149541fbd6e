"""What `--help` prints, made from the grammar and the catalogue. Nothing is imported for it that it doesn't show."""

from __future__ import annotations

from collections.abc import Iterable

from helloclaw.cli.grammar import COMMANDS, GLOBAL, HEADLESS, SESSION, Action, Command, Option
from helloclaw.i18n import Texts
from helloclaw.wording.width import columns, wrapped

_COLUMN = 34
# With less room than this beside the names, what they mean goes below them.
_LEAST_BESIDE = 24


def render_help(speak: Texts, command: Command | None, action: Action | None, width: int = 0) -> str:
    """The whole text in lines of at most `width` columns (0: as long as they are), without a final newline."""
    if command is None:
        return _program(speak, width)
    if action is not None or not command.actions:
        return _single(speak, command, action, width)
    return _with_actions(speak, command, width)


def _program(speak: Texts, width: int) -> str:
    usage = (
        ("helloclaw", "help.usage.repl"),
        ('helloclaw -p "PROMPT"', "help.usage.print"),
        ("helloclaw -c | -r [ID] [--fork]", "help.usage.resume"),
        (speak("help.usage.command_line"), "help.usage.command"),
    )
    commands = [(command.name, f"help.command.{command.name}") for command in COMMANDS if command.ready]
    return "\n\n".join(
        (
            _text(speak("help.about"), width),
            _section(speak, "help.heading.usage", usage, width),
            _section(speak, "help.heading.commands", commands, width),
            _section(speak, "help.heading.options", _rows((*SESSION, *GLOBAL)), width),
            _section(speak, "help.heading.headless", _rows(HEADLESS), width),
            _text(speak("help.exit_codes"), width),
        )
    )


def _with_actions(speak: Texts, command: Command, width: int) -> str:
    actions = [(_line(command, action), f"help.action.{command.name}.{action.name}") for action in command.actions]
    own = [option for action in command.actions for option in action.options]
    return "\n\n".join(
        (
            _text(speak(f"help.command.{command.name}"), width),
            _section(speak, "help.heading.usage", actions, width),
            _section(speak, "help.heading.options", _rows((*own, *command.options, *GLOBAL)), width),
        )
    )


def _single(speak: Texts, command: Command, action: Action | None, width: int) -> str:
    about = f"help.action.{command.name}.{action.name}" if action else f"help.command.{command.name}"
    own = (*command.options, *(action.options if action else ()))
    taken = {option.name for option in own}
    rest = [option for option in GLOBAL if option.name not in taken]
    return "\n\n".join(
        (
            _text(speak(about), width),
            "\n".join((speak("help.heading.usage"), *wrapped(f"  {_line(command, action)}", width, hang=6))),
            _section(speak, "help.heading.options", _rows((*own, *rest)), width),
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


def _section(speak: Texts, heading: str, rows: Iterable[tuple[str, str]], width: int) -> str:
    rows = list(rows)
    column = _COLUMN
    if width and width - column - 4 < _LEAST_BESIDE:
        column = min(column, max(columns(left) for left, _ in rows))
    lines = [speak(heading)]
    for left, text in rows:
        lines += _row(left, speak(text), column, width)
    return "\n".join(lines)


def _row(left: str, text: str, column: int, width: int) -> list[str]:
    """A name and what it means beside it; below it where there is no room."""
    room = width - column - 4
    narrow = bool(width) and room < _LEAST_BESIDE
    if columns(left) > column or narrow:
        indent = " " * (10 if narrow else column + 4)
        return [*wrapped(f"  {left}", width, hang=6), *_indented(wrapped(text, width and width - len(indent)), indent)]
    first, *more = wrapped(text, width and room)
    return [f"  {left}{' ' * (column - columns(left))}  {first}", *_indented(more, " " * (column + 4))]


def _indented(lines: Iterable[str], indent: str) -> list[str]:
    return [indent + line for line in lines]


def _text(text: str, width: int) -> str:
    return "\n".join(wrapped(text, width))
