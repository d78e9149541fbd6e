"""Whether a command, confined by a sandbox to the working directory and no network, may run there unasked. Pure.

The sandbox does the confining; here is only decided what would be of no use in it (network) or would read what a person
should be asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from helloclaw.permissions import paths
from helloclaw.permissions.files import Files
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.danger import program_name
from helloclaw.permissions.shell.examine import Examined
from helloclaw.permissions.shell.expressions import sed_script
from helloclaw.permissions.shell.hunt import MAX_LOOP_VALUES
from helloclaw.permissions.shell.inert import FEEDING
from helloclaw.permissions.shell.proof import Judged
from helloclaw.permissions.shell.read_judge import Ask, ReadJudge
from helloclaw.permissions.shell.readonly import what_it_reads
from helloclaw.permissions.shell.reads import File
from helloclaw.permissions.shell.script import (
    Loop,
    Node,
    Redirect,
    Redirected,
    Simple,
    Statements,
    children,
)
from helloclaw.permissions.shell.words import Word
from helloclaw.permissions.tables import names
from helloclaw.permissions.verdict import Scope

_NETWORK = names(
    "curl wget ssh scp sftp ftp rsync telnet nc ncat netcat socat dig nslookup host ping ping6 traceroute whois "
    "gh glab aws gcloud az kubectl helm docker podman apt apt-get brew dnf yum pacman apk npx bunx pnpx uvx pipx"
)
# What of these goes out; the rest of them works without a network.
_NETWORK_SUBCOMMANDS = MappingProxyType(
    {
        "git": names("clone fetch ls-remote pull push submodule"),
        "cargo": names("add fetch install login publish search update"),
        "go": names("get install mod"),
        **dict.fromkeys(
            names("npm pnpm yarn bun"), names("add ci dlx exec i install login publish up update upgrade x")
        ),
        **dict.fromkeys(names("pip pip3"), names("download install index wheel")),
        **dict.fromkeys(
            names("uv poetry pdm pipenv bundle gem composer mix"),
            names("add get install lock pip publish require sync update upgrade"),
        ),
    }
)
# Reasons to ask that a sandbox is an answer to. Not: a process left behind, and what can be read in two ways. Of
# substitutions only a quoted text is taken.
_CONFINABLE = names(
    "unknown_program unknown_option redirection heredoc assignment expansion shell_state repository_programs "
    "substitution"
)
_CONFINABLE_STRUCTURE = names("control_flow beyond_plain comment")
_TEMPORARY = ("/tmp", "/dev/null")  # noqa: S108 - compared with, never written to
_LIKE_PATH = re.compile(r"^(?:[/~]|\.\.?(?:/|$))|/|^\.")


def stays_inside(examined: Examined, scope: Scope, files: Files) -> bool:
    """Whether every command is readable, keeps to the workspace, and has no use for a network."""
    if not examined.parts or not all(_is_inside(path, scope, files) for path in examined.written):
        return False
    if not examined.structure and all(_part_stays(part, scope, files) for part in examined.parts):
        return True
    return _told_by_text(examined, scope, files)


def _told_by_text(examined: Examined, scope: Scope, files: Files) -> bool:
    """The same for loops, variables, assignments, here-documents and comments, as long as the text itself says what
    each variable is: then the commands that the search for what is denied has found are what runs."""
    if examined.script is None or not all(why.id in _CONFINABLE_STRUCTURE for why in examined.structure):
        return False
    if not all(part.why is None or part.why.id in _CONFINABLE for part in examined.parts):
        return False
    if not all(_asks_only_for_temporary(part, scope, files) for part in examined.parts):
        return False
    told = _Told(scope, files)
    return told.node(examined.script.body) and all(
        _command_stays(words, scope, files) for words in examined.commands[: examined.own]
    )


def _command_stays(words: tuple[str, ...], scope: Scope, files: Files) -> bool:
    """One command as its words will most likely be."""
    place = (str(scope.cwd),)
    if _needs_network(words, place, files):
        return False
    if not all(_word_stays(word, scope, files) for word in _without_script(words)):
        return False
    reads = what_it_reads(words)
    return isinstance(reads, Why) or all(
        _is_for_temporary(ask, scope, files) for ask in ReadJudge(scope, files).asks(reads, place)
    )


def _word_stays(word: str, scope: Scope, files: Files) -> bool:
    each = word.rpartition("=")[2] or word
    if _LIKE_PATH.search(each):
        return _is_inside(each, scope, files)
    return not paths.is_secret(each)


class _Told:
    """Walks through a script: whether its words are known, all but what variables stand for that it sets itself."""

    def __init__(self, scope: Scope, files: Files) -> None:
        self._scope = scope
        self._files = files
        self._judge = ReadJudge(scope, files)
        self._set: set[str] = set()

    def node(self, node: Node) -> bool:
        match node:
            case Simple():
                if not self._simple(node):
                    return False
            case Loop(variable=variable, values=values):
                if len(values) > MAX_LOOP_VALUES or not all(map(self._value, values)):
                    return False
                self._set.add(variable)
            case Redirected(redirects=redirects):
                if not all(map(self._redirect, redirects)):
                    return False
            case _:
                pass
        return all(map(self.node, children(node)))

    def _simple(self, simple: Simple) -> bool:
        if simple.odd is not None and simple.odd.id != "shell_state":
            return False
        if simple.assignments and "+=" in simple.text:
            return False
        processes = sum(map(_is_process, simple.words))
        if processes != len(simple.nested) and not all(map(_is_text, simple.nested)):
            return False
        if not all(self._word(each.value) and not each.is_array for each in simple.assignments):
            return False
        self._set |= {each.name for each in simple.assignments}
        known = all(self._word(each) or _is_process(each) or _is_one_text(each, simple) for each in simple.words)
        return known and all(map(self._redirect, simple.redirects))

    def _word(self, word: Word) -> bool:
        if word.value is not None and word.glob is None:
            return _word_stays(word.value, self._scope, self._files)
        if word.value is not None:
            return self._value(word)
        return all(
            piece.kind == "text" or (piece.kind == "variable" and piece.text in self._set) for piece in word.pieces
        )

    def _value(self, word: Word) -> bool:
        """A word that may be a pattern for names; each of those has to be free to read."""
        if word.glob is None:
            return self._word(word)
        names_found = self._judge.match(word, (str(self._scope.cwd),))
        return not isinstance(names_found, Why) and all(
            self._judge.file(File(name), str(self._scope.cwd)) is None for name in names_found
        )

    def _redirect(self, redirect: Redirect) -> bool:
        return redirect.target is None or redirect.op in FEEDING or self._word(redirect.target)


def _is_process(word: Word) -> bool:
    """`<(…)`: what it prints is read, and is no word of the command."""
    return [piece.kind for piece in word.pieces] == ["process"] and word.text.startswith("<")


def _is_one_text(word: Word, simple: Simple) -> bool:
    """A substitution in quotes and nothing else, of a command that has no other kind."""
    pieces = [piece for piece in word.pieces if piece.kind != "text" or piece.text]
    is_one = len(pieces) == 1 and pieces[0].kind == "command" and pieces[0].quoted
    return is_one and all(map(_is_text, simple.nested))


def _is_text(node: Node) -> bool:
    """`$(cat <<'EOF' … EOF)`: a way to write a text of several lines, as for the message of a commit."""
    match node:
        case Statements(items=(Simple(words=(word,), nested=(), odd=None, assignments=(), redirects=redirects),)):
            return word.value == "cat" and bool(redirects) and all(each.op in ("<<", "<<-") for each in redirects)
        case _:
            return False


def _part_stays(part: Judged, scope: Scope, files: Files) -> bool:
    if part.why is not None and not part.plain and part.why.id != "redirection":
        return False
    if not _asks_only_for_temporary(part, scope, files):
        return False
    if any(word is None for word in part.words) or not part.words:
        return False
    words = [word or "" for word in part.words]
    if _needs_network(words, part.places, files):
        return False
    if part.why is None:
        return True
    return all(
        _is_inside(each, scope, files)
        for word in _without_script(words)
        if (each := word.rpartition("=")[2] or word) and _LIKE_PATH.search(each)
    )


def _without_script(words: Sequence[str]) -> list[str]:
    """The words that may be paths: not `/x/d`, which `sed` is told to do."""
    script = sed_script(words[1:]) if words[0] == "sed" else None
    return [word for word in words if word != script]


def _asks_only_for_temporary(part: Judged, scope: Scope, files: Files) -> bool:
    return all(_is_for_temporary(ask, scope, files) for ask in part.asks)


def _is_for_temporary(ask: Ask, scope: Scope, files: Files) -> bool:
    """A sandbox has temporary directories of its own, so what is there is the session's."""
    if ask.why.id != "outside" or not ask.path.startswith("/"):
        return False
    plain = paths.absolute(ask.path, "/", "/")
    return any(paths.is_within(plain, each) for each in _TEMPORARY) and _is_inside(plain, scope, files)


def _needs_network(words: Sequence[str], places: Sequence[str], files: Files) -> bool:
    name = program_name(words[0])
    if name == "npx" and len(words) > 1 and not words[1].startswith("-") and places:
        return not all(_is_installed(words[1], place, files) for place in places)
    return name in _NETWORK or not _NETWORK_SUBCOMMANDS.get(name, frozenset()).isdisjoint(words[1:])


def _is_installed(name: str, place: str, files: Files) -> bool:
    """Whether `npx` finds the program in the project, and so has nothing to fetch."""
    above = (place, *paths.parents_of(place)) if place else ()
    return "/" not in name and any(files.exists(f"{each}/node_modules/.bin/{name}") for each in above)


def _is_inside(path: str, scope: Scope, files: Files) -> bool:
    real = paths.resolve(path, str(scope.cwd), str(scope.home), files)
    if paths.is_secret(real) or paths.runs_by_itself(real):
        return False
    return paths.is_free(real, scope) or any(paths.is_within(real, each) for each in _TEMPORARY)
