"""The environment of a command, rebuilt from ours: no secrets, nothing that makes a program do something else. Pure."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

# What in a variable's name says its value is a secret: OPENAI_API_KEY, HF_TOKEN, PGPASSWORD, AWS_SECRET_ACCESS_KEY.
_SECRET_NAME = re.compile(
    r"(^|_)(KEYS?|CREDENTIALS?|CREDS|AUTH|AUTHORIZATION|PASS|PAT|DSN|JWT|COOKIES?|SESSION)(_|\d*$)"
    r"|APIKEY|ACCESSKEY|PASSWORD|PASSWD|PASSPHRASE|PRIVATE_?KEY|SECRET|TOKEN|(?<=.)_PWD$",
    re.IGNORECASE,
)
# Values that are secrets whatever their name: vendors' key prefixes, JSON web tokens, a password within a URL.
_SECRET_VALUE = re.compile(
    r"^(sk-|sk_|gh[pousr]_|github_pat_|glpat-|xox[abposr]-|AKIA|ASIA|AIza|hf_|npm_|pypi-|eyJ[\w-]+\.)"
    r"|-----BEGIN|^\w[\w+.-]*://[^/\s:@]*:[^/\s@]+@"
)
# Names the two patterns would drop, but which programs need and which hold no secret.
_HARMLESS = frozenset(
    {"SSH_AUTH_SOCK", "XDG_SESSION_ID", "XDG_SESSION_TYPE", "DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION"}
)
_PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy", "ftp_proxy"})

# What changes how bash reads a command, what a program loads, or which program another one starts.
_STEERING_PREFIXES = ("BASH_", "LD_", "DYLD_", "GIT_", "HELLOCLAW_COMMAND")
_STEERING_SUFFIXES = ("PAGER", "EDITOR")
_STEERING = frozenset(
    {
        "BASHOPTS", "CDPATH", "ENV", "FORCE_COLOR", "CLICOLOR_FORCE", "FPATH", "GLOBIGNORE", "GREP_OPTIONS", "IFS",
        "LESS", "LESSCLOSE", "LESSOPEN", "MAIL", "MAILPATH", "OLDPWD", "PERL5DB", "PERL5OPT", "POSIXLY_CORRECT",
        "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4", "PWD", "PYTHONBREAKPOINT", "PYTHONINSPECT",
        "PYTHONSTARTUP", "RIPGREP_CONFIG_PATH", "RUBYOPT", "SHELLOPTS", "SHLVL", "SSH_ASKPASS", "SUDO_ASKPASS",
        "VISUAL", "_",
    }
)  # fmt: skip

# Nobody is there to answer a prompt, leave a pager or an editor, or enjoy colours.
_FIXED = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "MANPAGER": "cat",
    "EDITOR": "true",
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    # A read such as `git status` must not take the index lock nor run `post-index-change`.
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "PYTHONIOENCODING": "utf-8",
    "PYTHONUNBUFFERED": "1",
    "DEBIAN_FRONTEND": "noninteractive",
}
# Settings of a repository that would start a program on a mere read, or have `git diff` write the index whatever
# GIT_OPTIONAL_LOCKS says.
_GIT_CONFIG = {"core.fsmonitor": "false", "log.showSignature": "false", "diff.autoRefreshIndex": "false"}


def rebuild(environ: Mapping[str, str], *, git_config: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a command, from the program's own. `git_config` outranks every Git configuration file."""
    kept = {name: value for name, value in environ.items() if not is_dropped(name, value)}
    kept["PATH"] = _absolute_only(environ.get("PATH", os.defpath))
    if not any(environ.get(name) for name in ("LANG", "LC_ALL", "LC_CTYPE")):
        kept["LC_CTYPE"] = "C.UTF-8"
    return kept | _FIXED | _as_variables(_GIT_CONFIG | dict(git_config or {}))


def is_dropped(name: str, value: str) -> bool:
    """Whether a command must not see this variable."""
    if name.lower() in _PROXIES or name in _HARMLESS:
        return False
    if name in _STEERING or name.startswith(_STEERING_PREFIXES) or name.endswith(_STEERING_SUFFIXES):
        return True
    return bool(_SECRET_NAME.search(name) or _SECRET_VALUE.search(value))


def _absolute_only(path: str) -> str:
    """`PATH` without entries such as `.`: a file in a cloned repository is not a program one meant by its name."""
    return os.pathsep.join(part for part in path.split(os.pathsep) if os.path.isabs(part)) or os.defpath


def _as_variables(config: Mapping[str, str]) -> dict[str, str]:
    """Git's way to take configuration from the environment (since 2.31)."""
    variables = {"GIT_CONFIG_COUNT": str(len(config))}
    for number, (key, value) in enumerate(config.items()):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables
