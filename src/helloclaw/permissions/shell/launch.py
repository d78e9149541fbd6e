"""Commands within a command: what wrappers, shells, `find`, `xargs`, `git` and interpreters would start. Pure.

It may see more than there is, never less than it can: this is for finding what is denied, not for proving harmlessness.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType

from helloclaw.permissions.shell.code import Launched, commands_in_code, is_interpreter
from helloclaw.permissions.shell.danger import program_name
from helloclaw.permissions.tables import names

SHELLS = names("sh bash dash zsh ksh mksh ash fish csh tcsh rbash pwsh powershell yash posh osh nu elvish xonsh")
# Options with a value of their own (next word), and how many operands come before the command.
_WRAPPERS: MappingProxyType[str, tuple[frozenset[str], int]] = MappingProxyType(
    {
        "command": (frozenset(), 0),
        "builtin": (frozenset(), 0),
        "exec": (frozenset({"-a"}), 0),
        "coproc": (frozenset(), 0),
        "nohup": (frozenset(), 0),
        "setsid": (frozenset(), 0),
        "time": (frozenset({"-f", "--format", "-o", "--output"}), 0),
        "nice": (frozenset({"-n", "--adjustment"}), 0),
        "ionice": (names("-c --class -n --classdata -p -P -u"), 0),
        "chrt": (frozenset({"-T", "-P", "-D"}), 1),
        "taskset": (frozenset(), 1),
        "timeout": (frozenset({"-k", "--kill-after", "-s", "--signal"}), 1),
        "gtimeout": (frozenset({"-k", "--kill-after", "-s", "--signal"}), 1),
        "stdbuf": (frozenset({"-i", "--input", "-o", "--output", "-e", "--error"}), 0),
        "chroot": (frozenset({"--userspec", "--groups"}), 1),
        "busybox": (frozenset(), 0),
        "toybox": (frozenset(), 0),
        "linux32": (frozenset(), 0),
        "linux64": (frozenset(), 0),
        "catchsegv": (frozenset(), 0),
        "fakeroot": (frozenset({"-l", "-s", "-i", "-b"}), 0),
        "unbuffer": (frozenset(), 0),
        "caffeinate": (frozenset({"-t", "-w"}), 0),
        "watch": (frozenset({"-n", "--interval", "-q", "--equexit"}), 0),
        "xargs": (
            names(
                "-a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars "
                "--process-slot-var -R -S -J"
            ),
            0,
        ),
    }
)
# The rest of the kind, with the number of operands that may come first. Values of their options are guessed.
_LOOSE_WRAPPERS: MappingProxyType[str, int] = MappingProxyType(
    {
        **dict.fromkeys(
            names(
                "strace ltrace unshare nsenter i386 x86_64 setpriv firejail proot bwrap sandbox-exec "
                "dbus-run-session dbus-launch xvfb-run systemd-run systemd-inhibit prlimit numactl cpulimit "
                "valgrind rlwrap entr sem retry npx bunx pnpx tsp parallel daemonize start-stop-daemon arch "
                "eatmydata torsocks proxychains proxychains4 runcon capsh cgexec schedtool choom uclampset "
                "hyperfine chpst softlimit gdb script"
            ),
            0,
        ),
        **dict.fromkeys(names("setarch perf flock mise dotenv nix op doppler screen envdir ssh faketime"), 1),
        **dict.fromkeys(names("direnv asdf aws-vault sshpass tmux"), 2),
    }
)
# Those that start a program only behind one of these words.
_RUN_WORDS = frozenset({"run", "exec", "x", "dlx", "shell"})
_SCRIPT_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_RUNNERS = _SCRIPT_RUNNERS | names("uv poetry pipenv pdm hatch rye conda mamba micromamba bundle pyenv rbenv volta")
_TEXT_TAKERS = names("watch parallel ssh sem tmux screen script flock nix-shell hyperfine npx npm")
_STDIN_RUNNERS = SHELLS | {"at", "batch", "source", ".", "parallel", "eval", "make", "gmake", "vim", "ex", "ed", "gdb"}
_LOADER = re.compile(r"ld(?:-linux.*|-musl.*|\.so.*)")
_SHELL_OPERANDS = 5
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_RUNS_ITS_VALUE = re.compile(
    r"--?(?:(?i:[\w-]*(?:exec|command|cmd|program|action|pager|editor|rsh|shell|hook|askpass|preprocessor|filter|eval|script)[\w-]*)"
    r"|pre|upload-pack|receive-pack|run|[ceIox]|TT)(?:=(.*))?",
    re.DOTALL,
)


def launched(words: Sequence[str], stdin: str | None) -> Iterator[Launched]:
    """Every command that running `words`, with `stdin` as far as it is known, would or could start."""
    name, arguments = program_name(words[0]), list(words[1:])
    if stdin is not None and (name in _STDIN_RUNNERS or is_interpreter(name)):
        yield stdin
    yield from _by_name(name, arguments, stdin)
    if name in _TEXT_TAKERS:
        yield from _texts(arguments, 1 if name == "ssh" else 0)
    if is_interpreter(name):
        yield from commands_in_code(arguments, stdin)
    if name not in _HARMLESS_VALUES:
        yield from _option_values(arguments)


def _by_name(name: str, arguments: list[str], stdin: str | None) -> Iterator[Launched]:
    if name in SHELLS:
        return _shell(arguments)
    if name == "xargs":
        return _xargs(arguments, stdin)
    if special := _SPECIAL.get(name):
        return special(arguments)
    if name in _WRAPPERS:
        return _wrapped(arguments, *_WRAPPERS[name])
    if name in _RUNNERS:
        runs = _RUN_WORDS - {"run"} if name in _SCRIPT_RUNNERS else _RUN_WORDS
        at = next((place for place, each in enumerate(arguments) if each in runs), len(arguments))
        return _loosely(arguments[at + 1 :], 0)
    if _LOADER.fullmatch(name) or name in _LOOSE_WRAPPERS:
        return _loosely(arguments, _LOOSE_WRAPPERS.get(name, 0))
    return iter(())


# Their `-c`, `-e` and the like take anything but commands.
_HARMLESS_VALUES = SHELLS | names(
    "echo printf grep egrep fgrep rg git jq curl gh glab head tail wc cut sort ls test [ xargs env find command"
)


def is_wrapper(name: str) -> bool:
    return name in _WRAPPERS or name in _LOOSE_WRAPPERS or name == "env" or bool(_LOADER.fullmatch(name))


def _shell(arguments: Sequence[str]) -> Iterator[Launched]:
    """`sh -c TEXT`: the text is the first operand, unless that is the value of an option before it."""
    if any(each.startswith("-") and not each.startswith("--") and "c" in each.casefold() for each in arguments):
        yield from [each for each in arguments if not each.startswith("-")][:_SHELL_OPERANDS]


def _eval(arguments: Sequence[str]) -> Iterator[Launched]:
    yield " ".join(each for each in arguments if each != "--")


def _alias(arguments: Sequence[str]) -> Iterator[Launched]:
    yield from (each.partition("=")[2] for each in arguments if "=" in each)


def _trap(arguments: Sequence[str]) -> Iterator[Launched]:
    yield from (each for each in arguments[:2] if not each.startswith("-"))


def _env(arguments: list[str]) -> Iterator[Launched]:
    rest = list(arguments)
    while rest and (rest[0].startswith("-") or _ASSIGNMENT.match(rest[0])):
        option = rest.pop(0)
        if option == "--":
            break
        if option in ("-S", "--split-string") and rest:
            yield " ".join(rest)
            return
        if option.startswith(("-S", "--split-string=", "-vS", "-iS")):
            yield " ".join([re.sub(r"^(-[vi]*S|--split-string=)", "", option), *rest])
            return
        if option in ("-u", "--unset", "-C", "--chdir") and rest:
            del rest[0]
        if _ASSIGNMENT.match(option):
            yield option.partition("=")[2]
    while rest and _ASSIGNMENT.match(rest[0]):
        del rest[0]
    yield rest


def _wrapped(arguments: Sequence[str], valued: frozenset[str], operands: int) -> Iterator[Launched]:
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--":
            break
        if rest and _takes_next(option, valued):
            del rest[0]
    yield rest[operands:]


def _takes_next(option: str, valued: frozenset[str]) -> bool:
    """Whether the next word is the option's value; long names may be shortened."""
    if option.startswith("--"):
        return "=" not in option and any(each.startswith(option) for each in valued)
    return option in valued


def _loosely(arguments: Sequence[str], before: int) -> Iterator[Launched]:
    """From each operand on that may be where the command starts: behind options, their values, `before` operands."""
    seen, after_option = 0, False
    for index, argument in enumerate(arguments):
        if argument.startswith("-"):
            after_option = "=" not in argument
            continue
        yield list(arguments[index:])
        if not after_option and (seen := seen + 1) > before:
            return
        after_option = False


def _texts(arguments: Sequence[str], start: int) -> Iterator[Launched]:
    """Operands that a shell will read: each if it has several words, and all of them together."""
    operands = [each for each in arguments if not each.startswith("-")]
    yield from (each for each in operands if " " in each)
    yield " ".join(operands[start:])


def _find(arguments: Sequence[str]) -> Iterator[Launched]:
    for index, argument in enumerate(arguments):
        if argument in ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"):
            rest = arguments[index + 1 :]
            end = next((place for place, each in enumerate(rest) if each in (";", "+")), len(rest))
            yield list(rest[:end])


def _xargs(arguments: Sequence[str], stdin: str | None) -> Iterator[Launched]:
    """The command with what comes from the pipe: in its place (`-I`), else at its end."""
    for command in _wrapped(arguments, *_WRAPPERS["xargs"]):
        yield command
        if stdin is None or isinstance(command, str):
            continue
        fed = stdin.split()
        yield [*command, *fed]
        for line in stdin.splitlines()[:50]:
            yield [each.replace("{}", line).replace("%", line) for each in command]


def _git(arguments: Sequence[str]) -> Iterator[Launched]:
    """Aliases and settings that run something, and the subcommands that do."""
    runs_words = "bisect" in arguments or "submodule" in arguments
    for index, argument in enumerate(arguments):
        before = arguments[index - 1] if index else ""
        value = argument.partition("=")[2] if before == "-c" else argument
        if before == "-c" or (value.startswith("!") and "config" in arguments):
            yield value.removeprefix("!")
        if argument in ("run", "foreach") and runs_words:
            yield list(arguments[index + 1 :])
            yield " ".join(arguments[index + 1 :])
        if argument in ("-x", "--exec") or argument.endswith("-filter"):
            yield from arguments[index + 1 : index + 2]
        elif argument.startswith(("--exec=", "--upload-pack=", "--receive-pack=", "--open-files-in-pager=")):
            yield argument.partition("=")[2]


def _option_values(arguments: Sequence[str]) -> Iterator[Launched]:
    """Values of options whose names speak of commands: `--to-command=…`, `--checkpoint-action=exec=…`, `-TT …`."""
    for index, argument in enumerate(arguments):
        if argument.startswith("-") and (match := _RUNS_ITS_VALUE.fullmatch(argument)):
            value = match[1] if match[1] is not None else "".join(arguments[index + 1 : index + 2])
            if " " in value:
                yield value.removeprefix("exec=")


_SPECIAL: MappingProxyType[str, Callable[[list[str]], Iterator[Launched]]] = MappingProxyType(
    {
        "env": _env,
        "eval": _eval,
        "alias": _alias,
        "trap": _trap,
        "git": _git,
        **dict.fromkeys(("find", "gfind", "fd", "fdfind"), _find),
    }
)
