"""This computer: versions, the terminal, its encoding, the programs that are used, and what could confine commands."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from helloclaw import __version__
from helloclaw.doctor.check import Check, Ground, Name
from helloclaw.i18n import Phrase
from helloclaw.sandbox.offer import probe
from helloclaw.sandbox.session import SessionSandbox
from helloclaw.settings.problems import SettingsError
from helloclaw.storage.paths import person_home
from helloclaw.tools.base import ToolError
from helloclaw.tools.search import find_ripgrep

_PARTS = ("msgspec", "httpx2", "prompt_toolkit", "pygments", "tree-sitter-bash", "xllamacpp")
_NARROW, _LOW = 40, 10
_PROGRAM_S = 5.0


def versions(_: Ground) -> Sequence[Check]:
    parts = [f"{name} {found}" for name in _PARTS if (found := _version(name))]
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    what = Phrase(
        "doctor.version", version=__version__, python=platform.python_version(), system=system, parts=", ".join(parts)
    )
    return (Check(name="version", state="ok", what=what),)


def sandbox(ground: Ground) -> Sequence[Check]:
    """What confines the commands that `auto` runs unasked; tried, since a program that is there need not work."""
    with contextlib.suppress(SettingsError):
        if ground.source.current().permissions.sandbox == "off":
            return (Check(name="sandbox", state="off", what=Phrase("doctor.sandbox.switched_off")),)
    offer = probe()
    trial = SessionSandbox(offer, workdir=ground.workdir, home=person_home(os.environ), product_home=ground.home.root)
    fix = None if offer.kind == "bubblewrap" else Phrase("doctor.sandbox.fix")
    match offer.kind:
        case "none":
            what = Phrase("doctor.sandbox.none", why=offer.problem)
            return (Check(name="sandbox", state="off", what=what, fix=fix),)
        case "bubblewrap":
            what = Phrase("doctor.sandbox.bubblewrap", path=offer.program)
        case "landlock":
            what = Phrase("doctor.sandbox.landlock", abi=offer.abi, why=offer.problem)
    if problem := trial.check():
        what = Phrase("doctor.sandbox.not_here", why=problem)
        return (Check(name="sandbox", state="off", what=what, fix=Phrase("doctor.sandbox.not_here.fix")),)
    return (Check(name="sandbox", state="ok", what=what, fix=fix),)


def terminal(ground: Ground) -> Sequence[Check]:
    environ = ground.environ
    name = environ.get("TERM", "")
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()):
        return (Check(name="terminal", state="off", what=Phrase("doctor.terminal.none")),)
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    inside = "tmux" if environ.get("TMUX") else "screen" if environ.get("STY") else ""
    known = {"columns": columns, "rows": rows, "term": name or "–", "colours": _colours(ground), "inside": inside}
    if name in {"", "dumb"}:
        what = Phrase("doctor.terminal.dumb", **known)
        return (Check(name="terminal", state="warn", what=what, fix=Phrase("doctor.terminal.dumb.fix")),)
    what = Phrase("doctor.terminal.within" if inside else "doctor.terminal.ok", **known)
    if columns < _NARROW or rows < _LOW:
        fix = Phrase("doctor.terminal.small.fix", columns=_NARROW, rows=_LOW)
        return (Check(name="terminal", state="warn", what=what, fix=fix),)
    return (Check(name="terminal", state="ok", what=what),)


def encoding(ground: Ground) -> Sequence[Check]:
    environ = ground.environ
    locale = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or "–"
    stream = (getattr(sys.stdout, "encoding", "") or "–").lower()
    known = {"locale": locale, "stream": stream, "names": sys.getfilesystemencoding()}
    if stream.replace("-", "") not in {"utf8", "gb18030"} or known["names"].replace("-", "") != "utf8":
        what = Phrase("doctor.encoding.other", **known)
        return (Check(name="encoding", state="warn", what=what, fix=Phrase("doctor.encoding.fix")),)
    return (Check(name="encoding", state="ok", what=Phrase("doctor.encoding.ok", **known)),)


def search(ground: Ground) -> Sequence[Check]:
    try:
        path = find_ripgrep(ground.environ)
    except ToolError:
        fix = Phrase("doctor.search.fix")
        return (Check(name="search", state="fail", what=Phrase("doctor.search.none"), fix=fix),)
    return (_program("search", path, "doctor.search.broken", Phrase("doctor.search.fix")),)


def git(ground: Ground) -> Sequence[Check]:
    path = shutil.which("git", path=ground.environ.get("PATH"))
    if path is None:
        return (Check(name="git", state="warn", what=Phrase("doctor.git.none"), fix=Phrase("doctor.git.fix")),)
    return (_program("git", path, "doctor.git.none", Phrase("doctor.git.fix")),)


def shell(ground: Ground) -> Sequence[Check]:
    """Commands of the model are run by bash."""
    path = shutil.which("bash", path=ground.environ.get("PATH"))
    if path is None:
        return (Check(name="shell", state="fail", what=Phrase("doctor.shell.none"), fix=Phrase("doctor.shell.fix")),)
    return (_program("shell", path, "doctor.shell.none", Phrase("doctor.shell.fix")),)


def _program(name: Name, path: str, broken: str, fix: Phrase) -> Check:
    told = _said_by([path, "--version"])
    if told is None:
        return Check(name=name, state="fail", what=Phrase(broken, path=path), fix=fix)
    return Check(name=name, state="ok", what=Phrase("doctor.program", path=path, told=told))


def _said_by(command: list[str]) -> str | None:
    """The first line that a program prints; None if it fails."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROGRAM_S, check=True, text=True
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return next(iter(done.stdout.splitlines()), "").strip()


def _colours(ground: Ground) -> str:
    if ground.environ.get("NO_COLOR"):
        return "0"
    if ground.environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return "16777216"
    return "256" if "256color" in ground.environ.get("TERM", "") else "16"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
