"""What slash commands may use of a session in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helloclaw.agent.session import Session
    from helloclaw.repl.options import ReplOptions


class SessionHost:
    """A `slash.base.Host`."""

    def __init__(self, session: Session, options: ReplOptions) -> None:
        self.session = session
        self.options = options
        self.source = options.source
        self.home = options.home
        self.say = options.say
        self.environ = options.environ
