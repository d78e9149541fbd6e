"""Whether a command, confined by a sandbox to the working directory and no network, may run there unasked. Pure.

The sandbox does the confining; here is only decided what would be of no use in it (network) or would read what a person
should be asked about.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from helloclaw.permissions import paths
from helloclaw.permissions.files import Files
from helloclaw.permissions.shell.danger import program_name
from helloclaw.permissions.shell.examine import Examined
from helloclaw.permissions.shell.proof import Judged
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
_TEMPORARY = ("/tmp", "/dev/null")  # noqa: S108 - compared with, never written to
_LIKE_PATH = re.compile(r"^(?:[/~]|\.\.?(?:/|$))|/|^\.")


def stays_inside(examined: Examined, scope: Scope, files: Files) -> bool:
    """Whether every command is plainly readable, keeps to the workspace, and has no use for a network."""
    if examined.structure or not examined.parts:
        return False
    return all(_part_stays(part, scope, files) for part in examined.parts) and all(
        _is_inside(path, scope, files) for path in examined.written
    )


def _part_stays(part: Judged, scope: Scope, files: Files) -> bool:
    if part.asks or (part.why is not None and not part.plain and part.why.id != "redirection"):
        return False
    if any(word is None for word in part.words) or not part.words:
        return False
    words = [word or "" for word in part.words]
    name = program_name(words[0])
    if name in _NETWORK or not _NETWORK_SUBCOMMANDS.get(name, frozenset()).isdisjoint(words[1:]):
        return False
    if part.why is None:
        return True
    return all(
        _is_inside(each, scope, files)
        for word in words
        if (each := word.rpartition("=")[2] or word) and _LIKE_PATH.search(each)
    )


def _is_inside(path: str, scope: Scope, files: Files) -> bool:
    real = paths.resolve(path, str(scope.cwd), str(scope.home), files)
    if paths.is_secret(real) or paths.runs_by_itself(real):
        return False
    return paths.is_free(real, scope) or any(paths.is_within(real, each) for each in _TEMPORARY)
