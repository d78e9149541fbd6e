"""Everything beside the answer itself, as it stands in the scrollback: what was said, tools, thoughts, notices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from helloclaw.i18n import Texts
from helloclaw.protocol import events
from helloclaw.repl.output.leaves import CODE_INDENT
from helloclaw.repl.output.painter import Painter
from helloclaw.repl.output.rows import Span, columns, fitted, untabbed
from helloclaw.wording.lines import summary
from helloclaw.wording.plain import one_line, visible
from helloclaw.wording.reasons import denial_text

OUTPUT_ROWS = 6
"""Of a tool's output; more is folded."""
DIFF_ROWS = 60
MESSAGE_ROWS = 30
PROGRESS_ROWS = 3
COMMAND_ROWS = 6
"""Of a command of several lines."""

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
        """What the person said, with an empty row around it; long messages are cut, for they are known."""
        lines = visible(event.text).strip("\n").split("\n") if event.text.strip() else []
        shown = self._painter.plain("\n".join(lines[:MESSAGE_ROWS]), "user", indent=CODE_INDENT).split("\n")[:-1]
        if len(lines) > MESSAGE_ROWS or len(shown) > MESSAGE_ROWS:
            shown = [*shown[:MESSAGE_ROWS], f"{CODE_INDENT}…"]
        if lines:
            shown[0] = f"{self._painter.styled(self._marks.said, 'prompt')} {shown[0].removeprefix(CODE_INDENT)}"
        else:
            shown = []
        image = self._painter.row([("", CODE_INDENT), ("dim", self._fitted(self._say("card.image"), 2))])
        return "\n" + "".join(f"{row}\n" for row in [*shown, *[image for _ in event.images]]) + "\n"

    def echo(self, line: str) -> str:
        """A command that was typed."""
        text = self._fitted(one_line(line), 2)
        return "\n" + self._rows([("dim", f"{self._marks.said} {text}")])

    def tool_running(self, name: str, arguments: Mapping[str, Any], seconds: float, progress: str) -> str:
        head = self._head(self._marks.running, "accent", _called(name, arguments), self._seconds(seconds))
        lines = visible(progress.rstrip()).split("\n")[-PROGRESS_ROWS:] if progress.strip() else []
        return head + "".join(self._detail(line) for line in lines)

    def tool_done(self, use: events.ToolUse, event: events.ToolEnd, fold: Fold) -> str:
        failed = event.error is not None
        mark, style = (self._marks.failed, "error") if failed else (self._marks.done, "ok")
        head = self._head(mark, style, _called(use.name, use.input), self._seconds(event.duration_ms / 1000))
        head += self._command(use.input)
        if event.diff and not failed:
            rows = self._painter.diff(event.diff).split("\n")[:-1]
            return head + self._folded(rows, len(rows), DIFF_ROWS, event.diff, fold)
        return head + self._output(event.output, fold, "error" if failed else "output")

    def tool_denied(self, event: events.ToolDenied) -> str:
        head = self._head(self._marks.denied, "warn", _called(event.name, event.input), self._say("card.not_run"))
        reason = one_line(denial_text(event, self._say))
        return (
            head
            + self._command(event.input)
            + (self._painter.plain(reason, "dim", indent=CODE_INDENT * 2) if reason else "")
        )

    def thinking_folded(self, seconds: float, characters: int, number: int) -> str:
        text = self._say("card.thought", seconds=round(seconds), count=characters, number=number)
        return self._rows([("dim", self._fitted(f"{self._marks.thought} {text}", 0))])

    def notice(self, text: str, level: Literal["info", "warning"] = "info") -> str:
        style = "warn" if level == "warning" else "dim"
        return self._hanging(self._marks.notice, text, style)

    def error(self, text: str) -> str:
        return self._hanging(self._marks.failed, text, "error")

    def compacted(self, event: events.Compacted) -> str:
        return self.notice(self._say("line.compacted", before=event.before_tokens, after=event.after_tokens).strip())

    def remembered(self, event: events.MemorySaved) -> str:
        return "".join(self.notice(self._say("line.remembered", note=one_line(note, 300))) for note in event.notes)

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
        return self._rows(*([("", CODE_INDENT), ("", self._fitted(row, 2))] for row in rows))

    def _head(self, mark: str, style: str, called: str, aside: str) -> str:
        """`● bash(git status) · 0.3 s`, on one row."""
        tail = f" - {aside}" if self._ascii else f" · {aside}"
        name, bracket, rest = self._fitted(called, 2 + columns(tail)).partition("(")
        return self._rows([(style, mark), ("", " "), ("tool", name), ("", f"{bracket}{rest}"), ("dim", tail)])

    def _command(self, arguments: Mapping[str, Any]) -> str:
        """A command of several lines as it is; one line stands in the head."""
        lines = _command_lines(arguments)
        if len(lines) < 2:
            return ""
        shown = self._painter.code("\n".join(lines[:COMMAND_ROWS]), "bash", indent=CODE_INDENT * 2)
        return shown + (self._detail("…") if len(lines) > COMMAND_ROWS else "")

    def _output(self, text: str, fold: Fold, style: str) -> str:
        if not text.strip():
            return ""
        lines = text.rstrip("\n").split("\n")
        rows = [self._detail(visible(line), style)[:-1] for line in lines[: OUTPUT_ROWS + 1]]
        return self._folded(rows, len(lines), OUTPUT_ROWS, text, fold)

    def _detail(self, line: str, style: str = "output") -> str:
        """One line of output, cut to one row: whoever wants it whole can have that."""
        text = "".join(text for _, text in untabbed([("", line)]))
        return self._rows([("", CODE_INDENT * 2), (style, self._fitted(text, 4))])

    def _folded(self, rows: Sequence[str], count: int, limit: int, whole: str, fold: Fold) -> str:
        """The first rows of `count`, and how to see the others; one more row is no reason to fold."""
        if count <= limit + 1:
            return "".join(f"{row}\n" for row in rows)
        text = self._say("card.more_rows", count=count - limit, number=fold(whole))
        return "".join(f"{row}\n" for row in rows[:limit]) + self._rows(
            [("", CODE_INDENT * 2), ("dim", self._fitted(text, 4))]
        )

    def _hanging(self, mark: str, text: str, style: str) -> str:
        rows = self._painter.plain(text.strip(), style, indent=CODE_INDENT).removeprefix(CODE_INDENT)
        return f"{self._painter.styled(mark, style)} {rows}" if rows.strip() else ""

    def _seconds(self, seconds: float) -> str:
        return self._say("card.seconds", seconds=f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}")

    def _rows(self, *rows: list[Span]) -> str:
        return self._painter.rows(rows)

    def _fitted(self, text: str, taken: int) -> str:
        return fitted(text, max(4, self._painter.width - taken))


def _called(name: str, arguments: Mapping[str, Any]) -> str:
    """`bash(git status)`; only the name where the command stands below."""
    return one_line(name) if len(_command_lines(arguments)) > 1 else summary(name, arguments)


def _command_lines(arguments: Mapping[str, Any]) -> list[str]:
    command = arguments.get("command")
    return command.strip("\n").rstrip().split("\n") if isinstance(command, str) else []
