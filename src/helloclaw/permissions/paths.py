"""Where a path ends, whether that is free to read, and which places nobody may write. Pure but for `Files`."""

from __future__ import annotations

import os.path
import re
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from helloclaw.permissions.files import DEEP, Files
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.tables import names
from helloclaw.permissions.verdict import Scope

# How many directory entries one look below a directory may cost.
LOOK_LIMIT = 400

_SECRET_DIRECTORIES = names(".ssh .aws .gnupg .kube .azure .password-store gcloud .docker")
_SECRET_NAMES = names(
    ".netrc _netrc .pgpass .my.cnf .npmrc .pypirc .htpasswd htpasswd .vault-token .dockercfg .boto .s3cfg shadow "
    "gshadow wallet.dat .tfvars"
)
_SECRET_SUFFIXES = tuple(
    names(".pem .key .p12 .pfx .jks .keystore .kdbx .ppk .gpg .asc .age .ovpn .tfstate .tfvars _history")
)
_SECRET_WORD = re.compile(
    r"\.?(?:.*[-_.])?(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|cfg|conf|csv|txt|xml|db|enc|bak|old|gpg))?"
    r"|service[-_]?account.*\.json"
)
# `id_rsa` and its like are keys; `id_map.py` is a program.
CODE_SUFFIXES = tuple(
    f".{suffix}"
    for suffix in names(
        "py pyi js mjs ts tsx jsx go rs java kt c h cc cpp hpp cs rb php md rst html css sql vue swift scala"
    )
)
_ODD_NAME = re.compile(r"^-|[\s'\"\\]")
_CONTROL_NAMES = frozenset({".hooks.json", ".hooks.disabled"})
_CONTROL_DIRECTORY = ".claude"
_HOME_NAME = ".helloclaw"
_HOME_CONTROLS = frozenset({"config.json", ".env", "trust.json", "permissions.json"})
# What is in these directories runs without anybody calling it, so that no broad rule may cover it.
_SELF_RUNNING = names(".git .hg .husky .vscode .idea .githooks .devcontainer")
_SELF_RUNNING_NAMES = names(
    ".envrc .gitmodules .pre-commit-config.yaml .bashrc .bash_profile .profile .zshrc .zprofile .zshenv "
    ".bash_login .bash_logout .gitconfig .mcp.json"
)


def control_paths(workdir: Path, product_home: Path) -> tuple[Path, ...]:
    """The agent's own controls: the working directory's, and those in the product's home (`~/.helloclaw`)."""
    return (
        *(workdir / name for name in sorted((*_CONTROL_NAMES, _CONTROL_DIRECTORY))),
        *(product_home / name for name in sorted(_HOME_CONTROLS)),
    )


def absolute(path: str, cwd: str, home: str) -> str:
    """The path as written, made absolute and tidied, with no symbolic link followed."""
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    return os.path.normpath(os.path.join(cwd, path))


def resolve(path: str, cwd: str, home: str, files: Files) -> str:
    """Where the path ends. `cwd` is resolved already. `..` is taken after following links, as the kernel does."""
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    if path.startswith("/") or ".." in path or path.count("/") > DEEP:
        return files.realpath(os.path.join(cwd, path))
    real = cwd.rstrip("/")
    for part in path.split("/"):
        if part in ("", "."):
            continue
        real = f"{real}/{part}"
        if files.is_link(real):  # seldom; then the whole way anew
            return files.realpath(os.path.join(cwd, path))
    return real or "/"


def parents_of(path: str) -> list[str]:
    """The directories above, nearest first."""
    above: list[str] = []
    while (parent := os.path.dirname(path)) != path:
        above.append(parent)
        path = parent
    return above


def is_within(path: str, root: str) -> bool:
    return path == root or path.startswith(root if root.endswith("/") else root + "/")


def is_free(real: str, scope: Scope) -> bool:
    """Whether a resolved path lies in a place that is free to read."""
    return any(is_within(real, str(root)) for root in scope.roots)


@lru_cache(maxsize=4096)
def is_secret(path: str) -> bool:
    """Whether a path looks as if it held keys or passwords, by any of its components."""
    parts = path.casefold().split("/")
    name = parts[-1]
    if name in _SECRET_NAMES or name.endswith(_SECRET_SUFFIXES) or not _SECRET_DIRECTORIES.isdisjoint(parts):
        return True
    if name.startswith(("id_", "krb5cc_")) and not name.endswith(CODE_SUFFIXES):
        return True
    if ("credential" in name or "secret" in name or "account" in name) and _SECRET_WORD.fullmatch(name):
        return True
    return "/.env" in f"/{path.casefold()}" or (_HOME_NAME in parts and name == "config.json")


def judge_read(path: str, cwd: str, scope: Scope, files: Files, *, content: bool = True) -> Why | None:
    """Why a person has to be asked before `path` is read; None if it is free. `content`: more than names and sizes."""
    if path == "/dev/null":
        return None
    home = str(scope.home)
    real = resolve(path, cwd, home, files)
    if not is_free(real, scope):
        return Why("outside", path)
    if content and (is_secret(real) or is_secret(absolute(path, cwd, home))):
        return Why("secret", path)
    return None


def judge_tree(
    path: str, cwd: str, scope: Scope, files: Files, *, hidden: bool = True, follow: bool = False, named: bool = False
) -> Why | None:
    """Why a person has to be asked before everything below `path` is read.

    Looks at the first few hundred entries. Where links are followed, all must have been seen and end inside. `named`:
    names become words of a command, so none may be split into several nor be taken for an option.
    """
    waiting, left = [resolve(path, cwd, str(scope.home), files)], LOOK_LIMIT
    while waiting and left > 0:
        directory = waiting.pop(0)
        entries = files.entries(directory, left)
        left -= len(entries)
        for entry in entries:
            if not hidden and entry.name.startswith("."):
                continue
            below = f"{directory}/{entry.name}"
            if named and _ODD_NAME.search(entry.name):
                return Why("odd_name", os.path.relpath(below, cwd))
            if is_secret(below):
                return Why("secret_below", os.path.relpath(below, cwd))
            if entry.is_link and follow and not is_free(files.realpath(below), scope):
                return Why("outside", os.path.relpath(below, cwd))
            if entry.is_directory and entry.name != ".git":
                waiting.append(below)
    return Why("follows_links") if follow and left <= 0 else None


def is_control(path: str, scope: Scope) -> bool:
    """Whether an absolute path is, or is within, one of the agent's own controls."""
    parts = path.casefold().split("/")
    if _CONTROL_DIRECTORY in parts or parts[-1] in _CONTROL_NAMES:
        return True
    if _HOME_NAME in parts and not _HOME_CONTROLS.isdisjoint(parts[parts.index(_HOME_NAME) + 1 :][:1]):
        return True
    folded = "/".join(parts)  # `CONFIG.json` is `config.json` where the file system says so
    return any(is_within(folded, control) for control in _folded(scope.controls))


@lru_cache(maxsize=16)
def _folded(controls: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(str(control).casefold() for control in controls)


def pattern_matches_control(component: str) -> bool:
    """Whether a file name pattern could stand for a control: `.hook*`, `.cl?ude`."""
    if not component.startswith("."):
        return False
    names = (*_CONTROL_NAMES, _CONTROL_DIRECTORY, _HOME_NAME)
    return any(fnmatchcase(name, component.casefold()) for name in names)


def holds_controls(path: str, scope: Scope) -> bool:
    """Whether moving or replacing `path` would take controls with it, while it is not simply the whole workspace."""
    if is_within(str(scope.workdir), path):
        return False
    return path.casefold().endswith(f"/{_HOME_NAME}") or any(is_within(str(each), path) for each in scope.controls)


def runs_by_itself(path: str) -> bool:
    """Whether what is written there is run later without anybody calling it: hooks, editor tasks, shell profiles."""
    parts = path.casefold().split("/")
    return not _SELF_RUNNING.isdisjoint(parts) or parts[-1] in _SELF_RUNNING_NAMES
