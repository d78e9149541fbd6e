"""The rules that an `always` would save, narrowest first: what was seen, then what is like it. Pure.

For a shell command its exact text, then the program and its subcommand, never all of a shell; where that says too
little (an interpreter, a program that removes or sends things), the exact text alone.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Iterator, Sequence

from helloclaw.permissions.paths import is_secret, is_within, runs_by_itself
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.rule_syntax import BadRule, Rule, literal, parse_rule
from helloclaw.permissions.shell.code import is_interpreter
from helloclaw.permissions.shell.danger import program_name
from helloclaw.permissions.shell.launch import SHELLS, is_wrapper
from helloclaw.permissions.shell.proof import Judged
from helloclaw.permissions.shell.readonly import peeled
from helloclaw.permissions.tables import names
from helloclaw.permissions.verdict import Scope

# Programs whose second word says what they do; behind these words, the third does.
_WITH_SUBCOMMANDS = names(
    "git npm pnpm yarn bun deno cargo go docker podman kubectl helm pip pip3 uv poetry pdm hatch rye pipenv gh "
    "glab brew apt apt-get systemctl terraform aws gcloud az dotnet rustup conda just task nx turbo make gmake "
    "composer mix gradle mvn sbt flutter dart bundle rails rake gem php artisan django-admin alembic npx bunx uvx "
    "pipx vercel fly heroku supabase prisma swift zig nix direnv mise helloclaw"
)
_RUN_WORDS = names("run exec compose x dlx tool -m")
# For these the program's name says next to nothing about what happens.
_EXACT_ONLY = names(
    "rm mv dd chmod chown chgrp ln kill pkill killall curl wget ssh scp rsync nc find fd tee cp install truncate "
    "shred tar crontab at printenv export source . eval exec alias trap cd pushd popd set unset hash enable "
    "mapfile read let openssl socat man less more zip unzip env printf command builtin coproc telnet ftp gpg "
    "security defaults osascript open xdg-open claude codex"
)
_SUBCOMMAND = re.compile(r"[A-Za-z0-9][A-Za-z0-9:_.@/-]*")
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_./:@%+,=-]+")
_SPECIAL = re.compile(r"([*?\[\\])")


def shell_suggestions(
    text: str, blocked: Sequence[Judged], structure: Sequence[Why], real: Callable[[str], str], scope: Scope
) -> list[Rule]:
    """Rules worth trying, the narrowest first. Whether each lets the command pass is for the caller to see."""
    offers = [f"Bash({literal(text.strip())})"]
    if not structure:
        single = {offer for part in blocked for offer in _for_part(part, real, scope)}
        if len(single) == 1:
            offers += single
    return list(_parsed(offers))


def _for_part(part: Judged, real: Callable[[str], str], scope: Scope) -> Iterator[str]:
    if part.why is None:
        for ask in part.asks:
            yield f"Read({path_pattern(real(ask.path), scope)})" if ask.one_file else f"exact {part.text}"
    elif part.plain and part.why.id != "unknown_option" and (words := _prefix(part.words)):
        yield f"Bash({' '.join(words)}:*)"
    else:
        yield f"exact {part.text}"


def _prefix(words: Sequence[str | None]) -> list[str] | None:
    """The words that a rule for commands like this one begins with; None if there are none that mean enough."""
    known: list[str] = []
    for word in words:
        if word is None:
            break
        known.append(word)
    for inner in peeled(known) if known else ():
        known = inner
    if not known or not _PLAIN_WORD.fullmatch(known[0]) or known[0].startswith("/proc/"):
        return None
    name = program_name(known[0])
    if is_interpreter(name) or name in SHELLS:
        return _script_prefix(known)
    if name in _EXACT_ONLY or (is_wrapper(name) and name not in _WITH_SUBCOMMANDS):
        return None
    if name not in _WITH_SUBCOMMANDS:
        return known[:1]
    length = 3 if len(known) > 2 and known[1] in _RUN_WORDS else 2
    prefix = known[:length]
    if len(prefix) < length or not all(_SUBCOMMAND.fullmatch(word) for word in prefix[1:]):
        return None
    return prefix


def _script_prefix(words: list[str]) -> list[str] | None:
    """`python3 script.py`, `python3 -m pytest`, `bash build.sh`, `make test`: a script that is named is a program."""
    length = 3 if words[1:2] == ["-m"] else 2
    prefix = words[:length]
    if len(prefix) < length or not _SUBCOMMAND.fullmatch(prefix[-1].removeprefix("./")):
        return None
    return prefix


def path_pattern(real: str, scope: Scope) -> str:
    """A pattern for exactly this path: within the working directory, from home, or from the root."""
    workdir, home = str(scope.workdir), str(scope.home)
    if is_within(real, workdir) and real != workdir:
        return _SPECIAL.sub(r"\\\1", os.path.relpath(real, workdir))
    if is_within(real, home) and real != home:
        return "~/" + _SPECIAL.sub(r"\\\1", os.path.relpath(real, home))
    return "/" + _SPECIAL.sub(r"\\\1", real)


def file_suggestions(family: str, real: str, scope: Scope) -> list[Rule]:
    """The file itself, then all in its directory, if that is not the whole workspace and nothing in it is special."""
    offers = [f"{family}({path_pattern(real, scope)})"]
    parent = os.path.dirname(real)
    everything = parent == "/" or any(is_within(str(root), parent) for root in (scope.workdir, scope.home))
    if not everything and not is_secret(real) and not runs_by_itself(real):
        offers.append(f"{family}({path_pattern(parent, scope)}/**)")
    return list(_parsed(offers))


def tool_suggestions(*texts: str) -> list[Rule]:
    return list(_parsed(texts))


def _parsed(texts: Sequence[str]) -> Iterator[Rule]:
    for text in texts:
        try:
            yield parse_rule(text, source="session")
        except BadRule:
            continue
