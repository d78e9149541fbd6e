"""Whether commands can be confined now. The system is only tried once that matters, in the mode `auto`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from helloclaw.agent.standing import Standing
from helloclaw.app.options import SessionOptions
from helloclaw.storage.paths import person_home
from helloclaw.tools.shell import ShellState

if TYPE_CHECKING:
    from helloclaw.sandbox.session import SessionSandbox


class Confinement:
    """Ask it before each command."""

    def __init__(self, options: SessionOptions, standing: Standing, shell: ShellState) -> None:
        self._options = options
        self._standing = standing
        self._shell = shell
        self._sandbox: SessionSandbox | None = None

    def __call__(self) -> bool:
        options = self._options
        if self._standing.mode != "auto" or options.source.current().permissions.sandbox == "off":
            return False
        if self._sandbox is None:
            from helloclaw.sandbox.offer import probe
            from helloclaw.sandbox.session import SessionSandbox

            home = person_home(os.environ)
            self._sandbox = SessionSandbox(probe(), workdir=options.workdir, home=home, product_home=options.home.root)
            self._shell.sandbox = self._sandbox
        return not self._sandbox.check()
