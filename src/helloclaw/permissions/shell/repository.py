"""Whether a Git repository's own settings name programs that a mere `git status` or `git log` would run.

They can't come with a clone, but with an unpacked archive, or with an edit that somebody approved. Git refuses to let a
repository's settings be ignored (CVE-2022-24765 and after are about exactly this), so they are read here instead.
"""

from __future__ import annotations

import os.path
import re

from helloclaw.permissions.files import Files
from helloclaw.permissions.paths import parents_of

MAX_MODULES = 30

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"^\s*(?:\[[^]]*\]\s*)?([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*?))?\s*$")
_BOOLEAN = frozenset({"", "true", "false", "yes", "no", "on", "off", "1", "0"})
_LFS = re.compile(r'"?git-lfs (clean|smudge|filter-process)( -- %f)?"?')


def programs_named(directory: str, files: Files) -> str | None:
    """The setting that names a program for the repository around `directory`; None if there is none."""
    for place in (directory, *parents_of(directory)):
        dot_git = os.path.join(place, ".git")
        if files.exists(dot_git):
            return _in_git_directory(dot_git, files)
        if files.exists(f"{place}/HEAD") and files.exists(f"{place}/objects") and files.exists(f"{place}/refs"):
            return "a bare repository among the files"
    return None


def _in_git_directory(dot_git: str, files: Files) -> str | None:
    pointer = files.text(dot_git)
    if pointer is not None and pointer.startswith("gitdir:"):  # a worktree or a submodule
        place = os.path.join(os.path.dirname(dot_git), pointer.removeprefix("gitdir:").strip())
        common = (files.text(f"{place}/commondir") or "").strip()
        configs = [f"{place}/config", f"{place}/config.worktree"]
        if common:
            configs.append(os.path.join(place, common, "config"))
        found = (_program_in(files.text(each) or "") for each in configs)
        return next((each for each in found if each and each != "core.worktree"), None)
    own = [f"{dot_git}/config", f"{dot_git}/config.worktree"]
    modules = files.entries(f"{dot_git}/modules", MAX_MODULES)
    if len(modules) == MAX_MODULES:
        return "too many submodules to look at"
    for module in modules:
        config = f"{dot_git}/modules/{module.name}/config"
        if not files.exists(config):
            return f"the submodule {module.name}"
        own.append(config)
    for config in own:
        text = files.text(config)
        if text is None and files.exists(config):
            return f"{os.path.basename(config)}, which can't be read"
        found = _program_in(text or "")
        if found and not (found == "core.worktree" and "/modules/" in config):  # every submodule has one
            return found
    return None


def _program_in(config: str) -> str | None:
    """The first setting in a configuration file that makes reading commands run something, or read elsewhere."""
    section = name = ""
    for line in config.replace("\\\n", "").splitlines():
        text = line.strip()
        if header := _SECTION.match(text):
            section, name = header[1].casefold(), header[2] or ""
        setting = _SETTING.match(text)
        if setting and _runs(section.partition(".")[0], setting[1].casefold(), setting[2] or ""):
            return ".".join(filter(None, (section, name, setting[1])))
    return None


def _runs(section: str, key: str, value: str) -> bool:
    match section:
        case "include" | "includeif":
            return True
        case "diff":
            return key in ("textconv", "command", "external")
        case "filter":
            return key in ("clean", "smudge", "process") and not _LFS.fullmatch(value)
        case "core":
            if key == "fsmonitor":
                return value.casefold() not in _BOOLEAN
            return key in ("worktree", "alternaterefscommand", "attributesfile")
        case "gpg":
            return "program" in key or "command" in key
        case "log":
            return key == "showsignature"
        case "pretty" | "format":
            return "%g" in value.casefold()
        case "extensions":
            return key == "partialclone"
        case "remote":
            return key in ("promisor", "partialclonefilter")
        case _:
            return False
