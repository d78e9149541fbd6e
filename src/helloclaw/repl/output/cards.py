"""Everything beside the answer itself, as it stands in the scrollback: what was said, tools, thoughts, notices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from helloclaw.i18n import Texts
from helloclaw.protocol import events
from helloclaw.repl.output.leaves import CODE_INDENT
from helloclaw.repl.output.painter import Painter
from helloclaw.wording.lines import summary
from helloclaw.wording.plain import one_line, visible
from helloclaw.wording.reasons import reason_text
from helloclaw.wording.width import columns, padded

OUTPUT_ROWS = 6
"""Of a tool's output; more is folded."""
DIFF_ROWS = 60
MESSAGE_ROWS = 30
PROGRESS_ROWS = 3

Fold = Callable[[str], int]
"""Keeps a whole text, and gives the number it can be shown by."""


class Marks(NamedTuple):
    done: str
    failed: str
    denied: str
    running: str
    thought: str
    notice: str
    said: str


MARKS = Marks(done="●", failed="✗", denied="⊘", running="○", thought="✻", notice="·", said="❯")
ASCII_MARKS = Marks(done="*", failed="x", denied="-", running="o", thought="~", notice="-", said=">")
TODO_MARKS = {"pending": ("☐", "[ ]"), "in_progress": ("▶", "[>]"), "completed": ("☑", "[x]")}


class Cards:
    """Each method gives whole rows that end in a newline."""

    def __init__(self, painter: Painter, say: Texts, *, ascii: bool = False) -> None:  # noqa: A002 - what it is about
        self._painter = painter
        self._say = say
        self._ascii = ascii
        self._marks = ASCII_MARKS if ascii else MARKS

    def user_message(self, event: events.UserMessage) -> str:
        """What the person said, after a blank row; long messages are cut, for they are known."""
        room = max(8, self._painter.width - 2)
        shown = self._painter.plain(event.text, "user", indent=CODE_INDENT).split("\n")[:-1]
        if len(shown) > MESSAGE_ROWS:
            shown = [*shown[:MESSAGE_ROWS], f"{CODE_INDENT}…"]
        if shown:
            shown[0] = self._painter.styled(self._marks.said, "prompt") + shown[0][1:]
        for _ in event.images:
            shown.append(CODE_INDENT + self._painter.styled(padded(self._say("card.image"), room).rstrip(), "dim"))
        return "\n" + "\n".join(shown) + "\n\n"

    def echo(self, line: str) -> str:
        """A command that was typed."""
        text = self._row(one_line(line), 2)
        return f"\n{self._painter.styled(f'{self._marks.said} {text}', 'dim')}\n"

    def tool_running(self, name: str, arguments: Mapping[str, Any], seconds: float, progress: str) -> str:
        head = self._head(self._marks.running, "accent", summary(name, arguments), self._seconds(seconds))
        lines = visible(progress).rstrip("\n").split("\n")[-PROGRESS_ROWS:] if progress.strip() else []
        return head + "".join(self._detail(line) for line in lines)

    def tool_done(self, use: events.ToolUse, event: events.ToolEnd, fold: Fold) -> str:
        failed = event.error is not None
        mark, style = (self._marks.failed, "error") if failed else (self._marks.done, "ok")
        head = self._head(mark, style, summary(use.name, use.input), self._seconds(event.duration_ms / 1000))
        if event.diff and not failed:
            return head + self._folded(self._painter.diff(event.diff), DIFF_ROWS, event.diff, fold)
        return head + self._output(event.output, fold, "error" if failed else "output")

    def tool_denied(self, event: events.ToolDenied) -> str:
        head = self._head(self._marks.denied, "warn", summary(event.name, event.input), self._say("card.not_run"))
        reason = reason_text(event.reason, event.why, self._say.lang)
        return head + (self._painter.plain(one_line(reason), "dim", indent=CODE_INDENT * 2) if reason else "")

    def thinking_folded(self, seconds: float, characters: int, number: int) -> str:
        text = self._say("card.thought", seconds=round(seconds), count=characters, number=number)
        return self._painter.styled(self._row(f"{self._marks.thought} {text}", 0), "dim") + "\n"

    def notice(self, text: str, level: Literal["info", "warning"] = "info") -> str:
        style = "warn" if level == "warning" else "dim"
        return self._hanging(self._marks.notice, text, style)

    def error(self, text: str) -> str:
        return self._hanging(self._marks.failed, text, "error")

    def compacted(self, event: events.Compacted) -> str:
        return self.notice(self._say("line.compacted", before=event.before_tokens, after=event.after_tokens).strip())

    def output(self, text: str) -> str:
        """What a command of the person's own prints, row by row as it is."""
        return self._painter.code(text.rstrip("\n"), indent=CODE_INDENT)

    def own_command_done(self, code: int | None, seconds: float) -> str:
        key = "card.own_done" if code == 0 else "card.own_stopped" if code is None else "card.own_failed"
        return self.notice(
            self._say(key, code=code, seconds=self._seconds(seconds)), "info" if code == 0 else "warning"
        )

    def todo_list(self, items: Sequence[tuple[str, str]]) -> str:
        """`items` are (status, text) pairs."""
        rows = [
            f"{TODO_MARKS.get(status, TODO_MARKS['pending'])[self._ascii]} {one_line(text)}" for status, text in items
        ]
        return "".join(f"{CODE_INDENT}{self._row(row, 2)}\n" for row in rows)

    def _head(self, mark: str, style: str, called: str, aside: str) -> str:
        """`● bash(git status) · 0.3 s`, on one row."""
        tail = f" · {aside}"
        name, bracket, rest = padded_to(called, max(8, self._painter.width - 3 - columns(tail))).partition("(")
        spans = [(style, mark), ("", " "), ("tool", name), ("", f"{bracket}{rest}"), ("dim", tail)]
        return f"{self._painter.row(spans)}\n"

    def _output(self, text: str, fold: Fold, style: str) -> str:
        if not text.strip():
            return ""
        return self._folded(
            "".join(map(self._styled_detail(style), visible(text.rstrip("\n")).split("\n"))), OUTPUT_ROWS, text, fold
        )

    def _styled_detail(self, style: str) -> Callable[[str], str]:
        return lambda line: self._detail(line, style)

    def _detail(self, line: str, style: str = "output") -> str:
        """One line of output, cut to one row: whoever wants it whole can have that."""
        return f"{CODE_INDENT * 2}{self._painter.styled(self._row(line.expandtabs(4), 4), style)}\n"

    def _folded(self, painted: str, limit: int, whole: str, fold: Fold) -> str:
        rows = painted.split("\n")[:-1]
        if len(rows) <= limit + 1:
            return painted
        text = self._say("card.more_rows", count=len(rows) - limit, number=fold(whole))
        return "\n".join([*rows[:limit], CODE_INDENT * 2 + self._painter.styled(self._row(text, 4), "dim")]) + "\n"

    def _hanging(self, mark: str, text: str, style: str) -> str:
        rows = self._painter.plain(text, style, indent=CODE_INDENT)
        return self._painter.styled(mark, style) + rows[1:] if rows else ""

    def _seconds(self, seconds: float) -> str:
        return self._say("card.seconds", seconds=f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}")

    def _row(self, text: str, taken: int) -> str:
        return padded_to(text, max(4, self._painter.width - taken))


def padded_to(text: str, width: int) -> str:
    """`text` cut to at most `width` columns, not filled up."""
    return text if columns(text) <= width else padded(text, width).rstrip()
