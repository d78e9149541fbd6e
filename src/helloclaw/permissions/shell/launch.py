"""Commands within a command: what wrappers, shells, `find`, `xargs`, `git` and interpreters would start. Pure.

It may see more than there is, never less than it can: this is for finding what is denied, not for proving harmlessness.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from helloclaw.permissions.shell.danger import program_name

# A command's words, or shell text.
Launched = list[str] | str

SHELLS = frozenset(
    {"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "pwsh", "powershell", "yash", "posh",
     "osh", "nu", "elvish", "xonsh"}
)  # fmt: skip
INTERPRETERS = frozenset(
    {"python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "luajit", "awk", "gawk", "mawk", "nawk",
     "osascript", "tclsh", "wish", "expect", "rscript", "julia", "groovy", "scala", "ghc", "runghc", "emacs", "vi", "vim", "nvim",
     "view", "ex", "ed", "gdb", "lldb", "sed", "gsed", "make", "gmake", "sqlite", "psql", "mysql", "m4", "jshell", "irb", "guile",
     "racket", "sbcl", "clojure", "elixir", "erl", "swift", "ocaml", "r", "octave", "gnuplot"}
)  # fmt: skip
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
        "ionice": (frozenset({"-c", "--class", "-n", "--classdata", "-p", "-P", "-u"}), 0),
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
            frozenset(
                {"-a", "--arg-file", "-d", "--delimiter", "-E", "-I", "-L", "-n", "--max-args", "-P", "--max-procs", "-s",
                 "--max-chars", "--process-slot-var", "-R", "-S", "-J"}
            ),
            0,
        ),
    }
)  # fmt: skip
# The rest of the kind: where exactly the command starts is left open.
_LOOSE_WRAPPERS = frozenset(
    {"strace", "ltrace", "unshare", "nsenter", "setarch", "i386", "x86_64", "setpriv", "firejail", "proot", "bwrap", "sandbox-exec",
     "dbus-run-session", "dbus-launch", "xvfb-run", "systemd-run", "systemd-inhibit", "prlimit", "numactl", "cpulimit",
     "valgrind", "perf", "rlwrap", "flock", "entr", "sem", "retry", "npx", "bunx", "pnpx", "direnv", "mise", "asdf", "dotenv",
     "nix", "op", "doppler", "aws-vault", "tsp", "script", "parallel", "tmux", "screen", "ssh", "sshpass", "daemonize",
     "start-stop-daemon", "arch", "eatmydata", "faketime", "torsocks", "proxychains", "proxychains4", "runcon", "capsh",
     "cgexec", "schedtool", "choom", "uclampset", "hyperfine", "chpst", "softlimit", "envdir", "gdb"}
)  # fmt: skip
# Those that start a program only behind one of these words.
_RUN_WORDS = frozenset({"run", "exec", "x", "dlx", "shell"})
_RUNNERS = frozenset(
    {"uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda", "mamba", "micromamba", "bundle", "pyenv", "rbenv", "volta",
     "npm", "pnpm", "yarn", "bun"}
)  # fmt: skip
_TEXT_TAKERS = frozenset(
    {"watch", "parallel", "ssh", "sem", "tmux", "screen", "script", "flock", "nix-shell", "hyperfine", "npx", "npm"}
)
_STDIN_RUNNERS = SHELLS | {"at", "batch", "source", ".", "parallel", "eval", "make", "gmake", "vim", "ex", "ed", "gdb"}
_LOADER = re.compile(r"ld(?:-linux.*|-musl.*|\.so.*)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_RUNS_ITS_VALUE = re.compile(
    r"--?(?:[\w-]*(?:exec|command|cmd|program|action|pager|editor|rsh|shell|hook|askpass|preprocessor|filter|eval|script)[\w-]*"
    r"|pre|upload-pack|receive-pack|run|[ceIox]|TT)(?:=(.*))?",
    re.DOTALL | re.IGNORECASE,
)
_STARTS_SOMETHING = re.compile(
    r"system|popen|exec|spawn|subprocess|shell|syscmd|child_process|\b(?:run|call|do|qx|fork|os|e)\b|[`!]|\|\s*[\"']|[\"']\s*\||\$\(",
    re.IGNORECASE,
)
_LITERAL = re.compile(
    r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`|\bshell\s+([^)]*)|!\s*(.+)|/e?([^/]*)/\w*e\w*|\be\s+(.+)""",
    re.DOTALL,
)
_MAX_LITERALS = 40


def launched(words: Sequence[str], stdin: str | None) -> Iterator[Launched]:
    """Every command that running `words`, with `stdin` as far as it is known, would or could start."""
    name, arguments = program_name(words[0]), list(words[1:])
    if stdin is not None and (name in _STDIN_RUNNERS or is_interpreter(name)):
        yield stdin
    if name in SHELLS:
        yield from _shell(arguments)
    elif name == "env":
        yield from _env(arguments)
    elif name in ("eval", "trap", "alias"):
        yield from _shell_builtin(name, arguments)
    elif name in ("find", "gfind", "fd", "fdfind"):
        yield from _find(arguments)
    elif name == "git":
        yield from _git(arguments)
    elif name == "xargs":
        yield from _xargs(arguments, stdin)
    elif name in _WRAPPERS:
        yield from _wrapped(arguments, *_WRAPPERS[name])
    elif name in _RUNNERS:
        at = next((place for place, each in enumerate(arguments) if each in _RUN_WORDS), len(arguments))
        yield from _loosely(arguments[at + 1 :])
    elif _LOADER.fullmatch(name) or name in _LOOSE_WRAPPERS:
        yield from _loosely(arguments)
    if name in _TEXT_TAKERS:
        yield from _texts(arguments)
    if is_interpreter(name):
        yield from _code(arguments, stdin)
    if name not in _HARMLESS_VALUES:
        yield from _option_values(arguments)


# Their `-c`, `-e` and the like take anything but commands.
_HARMLESS_VALUES = SHELLS | frozenset(
    {"echo", "printf", "grep", "egrep", "fgrep", "rg", "git", "jq", "curl", "gh", "glab", "head", "tail", "wc", "cut", "sort", "ls",
     "test", "[", "xargs", "env", "find", "command"}
)  # fmt: skip


_VERSION = re.compile(r"[\d.-]+$")


def is_interpreter(name: str) -> bool:
    return name in INTERPRETERS or _VERSION.sub("", name) in INTERPRETERS


def is_wrapper(name: str) -> bool:
    return name in _WRAPPERS or name in _LOOSE_WRAPPERS or name == "env" or bool(_LOADER.fullmatch(name))


def _shell(arguments: Sequence[str]) -> Iterator[Launched]:
    """`sh -c TEXT`: whichever operand is the text, all are looked at."""
    if any(each.startswith("-") and not each.startswith("--") and "c" in each.casefold() for each in arguments):
        yield from (each for each in arguments if not each.startswith("-"))


def _shell_builtin(name: str, arguments: Sequence[str]) -> Iterator[Launched]:
    match name:
        case "eval":
            yield " ".join(each for each in arguments if each != "--")
        case "alias":
            yield from (each.partition("=")[2] for each in arguments if "=" in each)
        case _:
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


def _loosely(arguments: Sequence[str]) -> Iterator[Launched]:
    """From each of the first few operands on, as one of them is where the command starts."""
    starts = [index for index, each in enumerate(arguments) if not each.startswith("-")]
    for start in starts[:4]:
        yield list(arguments[start:])


def _texts(arguments: Sequence[str]) -> Iterator[Launched]:
    operands = [each for each in arguments if not each.startswith("-")]
    yield from (each for each in operands if " " in each)
    for start in range(min(3, len(operands))):
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
    for index, argument in enumerate(arguments):
        value = argument.partition("=")[2] if argument.startswith(("-", "alias.", "core.")) else argument
        if "!" in value:
            yield value.partition("!")[2]
        if index and arguments[index - 1] == "-c":
            yield argument.partition("=")[2]
        if argument in ("run", "foreach"):
            yield list(arguments[index + 1 :])
            yield " ".join(arguments[index + 1 :])
        if argument in ("-x", "--exec", "-c") or argument.endswith("-filter"):
            yield from arguments[index + 1 : index + 2]
        elif argument.startswith(("--exec=", "--upload-pack=", "--receive-pack=", "--open-files-in-pager=")):
            yield argument.partition("=")[2]


def _option_values(arguments: Sequence[str]) -> Iterator[Launched]:
    """Values of options whose names speak of commands: `--to-command=…`, `--checkpoint-action=exec=…`, `-TT …`."""
    for index, argument in enumerate(arguments):
        if match := _RUNS_ITS_VALUE.fullmatch(argument):
            value = match[1] if match[1] is not None else "".join(arguments[index + 1 : index + 2])
            if " " in value:
                yield value.removeprefix("exec=")


def _code(arguments: Sequence[str], stdin: str | None) -> Iterator[Launched]:
    """Strings in program text, each as a command line, and all together as the words of one."""
    texts = [each for each in arguments if not each.startswith("-") and any(mark in each for mark in "'\"`!( ")]
    if stdin is not None:
        texts.append(stdin)
    for text in texts:
        if not _STARTS_SOMETHING.search(text):
            continue
        literals = ["".join(filter(None, match.groups())) for match in _LITERAL.finditer(text)][:_MAX_LITERALS]
        yield from literals
        if len(literals) > 1:
            yield literals
