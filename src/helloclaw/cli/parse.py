"""From the words of a command line to an `Invocation`. Wrong words are a `UsageError` that names what was meant."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from helloclaw.cli.grammar import COMMANDS, FORMATS, GLOBAL, HEADLESS, SESSION, Action, Command, Option
from helloclaw.i18n import SpokenError


class UsageError(SpokenError):
    """The command line can't be meant as it stands."""


class Arguments:
    """Parsed values by name, typed on the way out."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def text(self, name: str) -> str | None:
        """An option's or argument's value; `""` for an optional one that was left out."""
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def flag(self, name: str) -> bool:
        return self._values.get(name) is not None

    def many(self, name: str) -> tuple[str, ...]:
        return tuple(self._values.get(name) or ())

    def over(self, other: Arguments) -> Arguments:
        """These values where they are given, else the other's; repeated ones one after the other."""
        merged = dict(other._values)
        for name, value in self._values.items():
            before = merged.get(name)
            if isinstance(value, list) and isinstance(before, list):
                merged[name] = [*before, *value]
            elif value is not None:
                merged[name] = value
        return Arguments(merged)


class Invocation(NamedTuple):
    """What was asked for. No command is the REPL, or with `-p` one turn."""

    command: Command | None
    action: Action | None
    arguments: Arguments


class _Parser(argparse.ArgumentParser):
    """argparse without its English: no help of its own, and every error an exception."""

    def __init__(self, options: Iterable[Option]) -> None:
        super().__init__(prog="helloclaw", usage="", add_help=False, allow_abbrev=False, exit_on_error=False)
        self.known: list[str] = []
        for option in options:
            self.known.extend(option.flags)
            if option.repeated:
                self.add_argument(*option.flags, dest=option.name, action="append")
            elif option.optional:
                self.add_argument(*option.flags, dest=option.name, nargs="?", const="")
            elif option.metavar:
                self.add_argument(*option.flags, dest=option.name)
            else:
                self.add_argument(*option.flags, dest=option.name, action="store_const", const=True)

    def error(self, message: str) -> NoReturn:
        raise UsageError("usage.other", what=message)

    def read(self, words: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
        """The values, and the words that nothing wants."""
        try:
            namespace, extra = self.parse_known_args(words)
        except argparse.ArgumentError as error:
            name = error.argument_name or ""
            switch = any("/".join(option.flags) == name and not option.metavar for option in _ALL_OPTIONS)
            raise UsageError("usage.takes_no_value" if switch else "usage.needs_value", option=name) from error
        return vars(namespace), extra


_TOP = (*GLOBAL, *SESSION, *HEADLESS)
_ALL_OPTIONS = (
    *_TOP,
    *(option for command in COMMANDS for option in command.options),
    *(option for command in COMMANDS for action in command.actions for option in action.options),
)


def parse(words: Sequence[str]) -> Invocation:
    """Read a command line. Raises `UsageError`."""
    parser = _Parser(_TOP)
    parser.add_argument("word", nargs="?")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    words, plain = _split(words)
    values, extra = parser.read(_prompt_joined(words))
    word: str | None = values.pop("word")
    rest: list[str] = values.pop("rest")
    _refuse_unknown(extra, parser)
    top = Arguments(values)
    if word is not None and top.text("print") == "":
        # `-p --json "PROMPT"`: the prompt need not follow its option.
        return Invocation(None, None, Arguments({"print": " ".join([word, *rest, *plain])}).over(top))
    if word is None:
        _require_print(top)
        _refuse_unknown(plain, parser)
        return Invocation(None, None, top)
    command = _command(word)
    if not command.ready:
        return Invocation(command, None, top)
    _refuse_strangers(command, top)
    return _parse_command(command, rest, plain, top)


def _parse_command(command: Command, words: list[str], plain: list[str], top: Arguments) -> Invocation:
    options = (*_without(GLOBAL, command.options), *command.options)
    action: Action | None = None
    if command.actions:
        every = (*options, *(option for each in command.actions for option in each.options))
        parser = _Parser(dict.fromkeys(every))
        parser.add_argument("word", nargs="?")
        parser.add_argument("rest", nargs=argparse.REMAINDER)
        values, extra = parser.read(words)
        word: str | None = values.pop("word")
        rest: list[str] = values.pop("rest")
        _refuse_unknown(extra, parser)
        top = Arguments(values).over(top)
        if word is None and top.flag("help"):
            return Invocation(command, None, top)
        action = command.actions[0] if word is None else _action(command, word)
        words, options = rest, (*options, *action.options)
    wanted = action.arguments if action else command.arguments
    parser = _Parser(options)
    for argument in wanted:
        parser.add_argument(_plain(argument), nargs="*" if argument.endswith("...") else "?")
    values, extra = parser.read([*words, "--", *plain] if plain else words)
    _refuse_unknown(extra, parser)
    arguments = Arguments({name: value for name, value in values.items() if value != []}).over(top)
    if not arguments.flag("help"):
        _require(wanted, arguments, command, action)
    return Invocation(command, action, arguments)


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before a `--`, and those after it, which are no options whatever they begin with."""
    cut = words.index("--") if "--" in words else len(words)
    return list(words[:cut]), list(words[cut + 1 :])


def _plain(argument: str) -> str:
    return argument.strip("[].").lower()


def _require(wanted: Iterable[str], arguments: Arguments, command: Command, action: Action | None) -> None:
    for argument in wanted:
        if not argument.startswith("[") and not arguments.flag(_plain(argument)):
            name = f"{command.name} {action.name}" if action else command.name
            raise UsageError("usage.missing", what=argument.strip("."), command=name)


def _command(word: str) -> Command:
    for command in COMMANDS:
        if command.name == word:
            return command
    near = _nearest(word, [command.name for command in COMMANDS if command.ready])
    if near:
        raise UsageError("usage.unknown_command_near", word=word, near=near)
    raise UsageError("usage.unknown_command", word=word)


def _action(command: Command, word: str) -> Action:
    for action in command.actions:
        if action.name == word:
            return action
    names = [action.name for action in command.actions]
    near = _nearest(word, names)
    if near:
        raise UsageError("usage.unknown_action_near", word=word, near=near, command=command.name)
    raise UsageError("usage.unknown_action", word=word, command=command.name, known=" ".join(names))


def _refuse_unknown(extra: Sequence[str], parser: _Parser) -> None:
    if not extra:
        return
    word = extra[0]
    if not word.startswith("-"):
        raise UsageError("usage.extra", word=word)
    flag = word.partition("=")[0]
    near = _nearest(flag, parser.known)
    if near:
        raise UsageError("usage.unknown_option_near", option=flag, near=near)
    raise UsageError("usage.unknown_option", option=flag)


def _refuse_strangers(command: Command, top: Arguments) -> None:
    """`helloclaw -p x sessions`: an option that means nothing to the command is a mistake, not noise."""
    own = (*command.options, *(option for action in command.actions for option in action.options))
    for option in (*SESSION, *HEADLESS):
        if top.flag(option.name) and option not in own:
            raise UsageError("usage.not_for", option=option.flags[-1], command=command.name)


def _require_print(top: Arguments) -> None:
    for option in FORMATS:
        if top.flag(option.name) and not top.flag("print"):
            raise UsageError("usage.needs_print", option=option.flags[-1])


def _without(options: Iterable[Option], other: Iterable[Option]) -> list[Option]:
    taken = {flag for option in other for flag in option.flags}
    return [option for option in options if not taken.intersection(option.flags)]


def _prompt_joined(words: Sequence[str]) -> list[str]:
    """`-p "-1 or 1?"`: a prompt may begin with a dash, unless it is an option of ours."""
    known = {flag for option in _TOP for flag in option.flags}
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in {"-p", "--print"} and word.partition("=")[0] not in known:
            joined[-1] = f"--print={word}"
        else:
            joined.append(word)
    return joined


def _nearest(word: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=0.6)), None)
