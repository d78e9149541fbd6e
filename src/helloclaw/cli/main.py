"""The program's door: read the command line, find the language, run the command, let no traceback reach a person."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from helloclaw.cli.parse import Invocation, UsageError, parse
from helloclaw.cli.run import Run
from helloclaw.cli.terminal import OutputClosed, OutputFailed, Terminal
from helloclaw.i18n import Lang, Texts, choose, texts
from helloclaw.wording.plain import one_line

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def entry(words: Sequence[str] | None = None) -> int:
    """Run the program; the process's exit code."""
    words = list(sys.argv[1:] if words is None else words)
    terminal = Terminal.of_process()
    speak = texts(_language(words, os.environ))
    debug = "--debug" in words
    try:
        return _run(words, terminal, speak)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OutputFailed as error:
        terminal.error(one_line(speak("error.output", why=error.why)))
        return EXIT_FAILED
    except OutputClosed:
        return EXIT_DONE
    except Exception as error:  # The last line of defence; what a command can explain, it has explained already.
        missing = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        if missing and not missing.startswith("helloclaw"):
            # Nothing of ours can be trusted to load now, so this is said without any more of it.
            terminal.error(speak("error.missing_package", name=missing, python=sys.executable))
            return EXIT_USAGE
        from helloclaw.cli.problems import report

        return report(error, terminal, speak, os.environ, debug=debug)


def _run(words: Sequence[str], terminal: Terminal, speak: Texts) -> int:
    invocation = parse(words)
    arguments = invocation.arguments
    if arguments.flag("help"):
        from helloclaw.cli.help import render_help

        terminal.line(render_help(speak, invocation.command, invocation.action, terminal.width(os.environ)))
        return EXIT_DONE
    if arguments.flag("version"):
        from helloclaw import __version__

        terminal.line(f"helloclaw {__version__}")
        return EXIT_DONE
    _check_language(arguments.text("lang"))
    module = import_module(f"helloclaw.cli.{_module(invocation)}")
    return module.main(Run(invocation, terminal, speak, os.environ))


def _module(invocation: Invocation) -> str:
    if invocation.command is not None:
        return invocation.command.module
    if invocation.arguments.flag("print"):
        return "headless"
    return "repl"


def _check_language(lang: str | None) -> None:
    if lang is not None and lang not in {"en", "zh"}:
        raise UsageError("usage.bad_choice", option="--lang", value=lang, choices="en | zh")


def _language(words: Sequence[str], environ: Mapping[str, str]) -> Lang:
    """`--lang`, wherever it stands, else the settings', else the locale's."""
    for before, word in zip(["", *words], words, strict=False):
        if before == "--lang":
            return choose(word, {})
        if word.startswith("--lang="):
            return choose(word.removeprefix("--lang="), {})
    from helloclaw.settings.peek import language_setting

    return choose(language_setting(environ), environ)
