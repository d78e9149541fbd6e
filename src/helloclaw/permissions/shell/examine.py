"""All that is known of a shell command before any rule is looked at: what is denied in it, what is proven of it."""

from __future__ import annotations

from msgspec import Struct

from helloclaw.permissions.files import Files
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.hunt import Hunt
from helloclaw.permissions.shell.parse import parse
from helloclaw.permissions.shell.proof import Judged, prove
from helloclaw.permissions.shell.screen import hidden_characters, too_long, too_long_to_run, too_much
from helloclaw.permissions.shell.script import Script
from helloclaw.permissions.verdict import Scope


class Examined(Struct, frozen=True, kw_only=True):
    """`denials` are what must never run, each with the part it is in. `commands` and `written` are all commands and
    paths that were found, also deep inside, for rules that forbid.

    `hidden`: not even an exact rule may let it pass, as a person can't have seen it all. `structure`: reasons to ask
    which lie in the whole. `script` is how it is put together, and the first `own` commands are what runs by that, with
    what its variables are known to be; the rest were found by reading it in other ways.
    """

    parts: tuple[Judged, ...]
    structure: tuple[Why, ...]
    denials: tuple[tuple[str, Why], ...]
    commands: tuple[tuple[str, ...], ...]
    written: tuple[str, ...]
    hidden: Why | None = None
    script: Script | None = None
    own: int = 0


def examine(text: str, scope: Scope, files: Files) -> Examined:
    if why := too_long_to_run(text) or too_much(text):
        return Examined(parts=(), structure=(), denials=((text[:80], why),), commands=(), written=())
    script = parse(text, str(scope.home))
    proof = prove(text, script, scope, files)
    hunt = Hunt(scope, files)
    hunt.whole(text, script, broken=any(why.id in ("not_understood", "ambiguous") for why in proof.structure))
    hidden = hidden_characters(text)
    whole = [why for why in (hidden, too_long(text)) if why is not None]
    return Examined(
        parts=proof.parts,
        structure=(*whole, *proof.structure),
        denials=tuple(hunt.denials),
        commands=tuple(hunt.commands),
        written=tuple(hunt.written),
        hidden=hidden,
        script=script,
        own=hunt.own,
    )
