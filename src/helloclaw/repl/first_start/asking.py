"""How a first start talks to a terminal: menus, lines, waiting, and rows that stay. It knows none of the questions."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from helloclaw.i18n import Texts
from helloclaw.repl.first_start.waiting import wait_for
from helloclaw.repl.menu import Menu, ask_text, choose, quiet_output
from helloclaw.wording.plain import visible
from helloclaw.wording.width import wrapped

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

Result = TypeVar("Result")

_MARKS = {"ok": "✓", "no": "✗", "off": "–"}
_PLAIN_MARKS = {"ok": "+", "no": "x", "off": "-"}


class Asking:
    """Every method raises `Interrupted` on Ctrl-C, Ctrl-D and at the end of input."""

    def __init__(self, say: Texts, keys: Input | None, output: Output | None) -> None:
        self.say = say
        self._keys = keys
        self._output = output or quiet_output()
        self._plain = self._output.encoding().lower().replace("-", "") not in {"utf8", "gb18030"}

    async def choose(self, menu: Menu, title: str) -> Any:
        """The chosen value, None for Esc."""
        return await choose(menu, title, self._keys, self._output, say=self.say, ascii=self._plain, interruptible=True)

    async def text(self, question: str, *, secret: bool = False, default: str = "") -> str | None:
        """One line, None for Esc."""
        return await ask_text(
            question,
            secret=secret,
            default=default,
            input=self._keys,
            output=self._output,
            say=self.say,
            interruptible=True,
        )

    async def wait(self, work: Coroutine[Any, Any, Result], text: str, more: Callable[[], list[str]] = list) -> Result:
        """What `work` gives. Raises `GivenUp` for Esc."""
        return await wait_for(work, text, more=more, source=self._keys, output=self._output)

    def tell(self, text: str) -> None:
        """Text that stays."""
        width = self._output.get_size().columns
        self._output.write_raw("".join(f"{row}\r\n" for row in wrapped(visible(text), width, hang=2)))
        self._output.flush()

    def mark(self, state: str) -> str:
        """A mark for `ok`, `no` or `off`."""
        return (_PLAIN_MARKS if self._plain else _MARKS)[state]
