"""The command line as data: options, commands and their actions. Parser and help are both made from it.

Ids of the help texts follow from the names: `help.option.model`, `help.command.sessions`, `help.action.sessions.show`.
"""

from __future__ import annotations

from typing import NamedTuple


class Option(NamedTuple):
    """An option. Without `metavar` it is a switch; `optional` says its value may be left out."""

    flags: tuple[str, ...]
    metavar: str = ""
    optional: bool = False
    repeated: bool = False
    help: str = ""

    @property
    def name(self) -> str:
        """What the parsed value is called: the long flag's name."""
        return self.flags[-1].removeprefix("--").replace("-", "_")

    @property
    def help_id(self) -> str:
        return f"help.option.{self.help or self.name}"


class Action(NamedTuple):
    """What a command does with its arguments: `ID` is required, `[ID]` may be left out, `WORDS...` is one or more."""

    name: str
    arguments: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()


class Command(NamedTuple):
    """A command of its own or with actions, the first of which is what the bare command does."""

    name: str
    module: str
    actions: tuple[Action, ...] = ()
    arguments: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    ready: bool = True


GLOBAL = (
    Option(("--model",), "NAME"),
    Option(("--mode",), "MODE"),
    Option(("--workdir",), "DIR"),
    Option(("--add-dir",), "DIR", repeated=True),
    Option(("--lang",), "en|zh"),
    Option(("--json",)),
    Option(("--debug",)),
    Option(("-h", "--help")),
    Option(("-V", "--version")),
)

PRINT = Option(("-p", "--print"), "PROMPT", optional=True)
RESUME = (
    Option(("-c", "--continue")),
    Option(("-r", "--resume"), "ID", optional=True),
    Option(("--fork",)),
)
SESSION = (PRINT, *RESUME)

FORMATS = (
    Option(("--output-format",), "text|json|stream-json"),
    Option(("--input-format",), "text|stream-json"),
)
ALLOW = Option(("--allow",), "RULE", repeated=True)
LIMITS = (
    Option(("--max-turns",), "N"),
    Option(("--max-cost",), "USD"),
    ALLOW,
    Option(("--system-append",), "TEXT"),
)
HEADLESS = (*FORMATS, *LIMITS)

_IN_SESSION = Option(("-s", "--session"), "ID")
_IN_DIRECTORY = Option(("-w", "--workdir"), "DIR", help="workdir_home")

COMMANDS = (
    Command("repl", "repl", options=(*RESUME, *LIMITS)),
    Command(
        "ask",
        "headless",
        arguments=("QUESTION...",),
        options=(_IN_SESSION, _IN_DIRECTORY, Option(("--no-stream",)), *HEADLESS),
    ),
    Command("chat", "repl", options=(_IN_SESSION, _IN_DIRECTORY)),
    Command(
        "sessions",
        "sessions",
        actions=(
            Action("list"),
            Action("show", ("ID",)),
            Action("search", ("WORDS...",)),
            Action("export", ("ID",), (Option(("--format",), "md|html|jsonl"),)),
            Action("import", ("FILE",)),
            Action("rm", ("ID",)),
        ),
    ),
    Command(
        "config",
        "config",
        actions=(
            Action("list"),
            Action("get", ("KEY",)),
            Action("set", ("KEY", "VALUE")),
            Action("edit"),
            Action("path"),
        ),
    ),
    Command(
        "model",
        "model",
        actions=(Action("list"), Action("use", ("NAME",)), Action("test", ("[NAME]",)), Action("pull", ("NAME",))),
    ),
    Command(
        "permissions",
        "permissions",
        actions=(Action("list"), Action("check", ("COMMAND",), (ALLOW,)), Action("rm", ("RULE",))),
    ),
    Command("schema", "schema"),
    Command("web", "later", ready=False),
    Command(
        "memory",
        "memory",
        actions=(
            Action("list"),
            Action("show", ("[PAGE]",)),
            Action("search", ("WORDS...",), (Option(("--limit",), "N", help="memory_limit"),)),
            Action("add", ("TEXT...",), (Option(("--category",), "NAME"),)),
            Action("capture", ("TEXT...",), (Option(("--dry-run",)),)),
            Action("rm", ("PAGE", "LINE")),
            Action("cleanup", (), (Option(("--days",), "N"),)),
        ),
    ),
    Command(
        "cron",
        "cron",
        actions=(
            Action("list"),
            Action("rm", ("ID",)),
            Action(
                "next",
                ("EXPR",),
                (Option(("--from",), "ISO"), Option(("--count",), "N"), Option(("--tz",), "ZONE")),
            ),
        ),
    ),
    Command("trust", "trust", arguments=("[DIR]",), options=(Option(("--list",)), Option(("--remove",), "DIR"))),
    Command("doctor", "doctor"),
)
