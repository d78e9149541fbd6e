"""A conversation as a document: readable, and harmless whatever was said in it."""

from __future__ import annotations

from helloclaw.i18n import texts
from helloclaw.protocol import events
from helloclaw.protocol.events import Event
from helloclaw.wording.transcript import as_html, as_markdown

PAST: list[Event] = [
    events.UserMessage(text="Read `a` <script>"),
    events.ToolUse(id="1", name="read_file", input={"path": "a.md"}),
    events.ToolEnd(id="1", name="read_file", duration_ms=1, output_preview="", output="```\n<b>x</b>\n```"),
    events.ToolUse(id="2", name="bash", input={"command": "rm -rf /"}),
    events.ToolDenied(id="2", name="bash", input={}, reason="never", output="", source="permission"),
    events.UserMessage(text="keep the list", source="reminder"),
    events.AssistantEnd(text="**Done**"),
    events.ErrorEvent(message="It broke.", hint="Try again."),
    events.RoundEnd(reason="failed"),
]


def test_markdown() -> None:
    assert as_markdown(PAST, texts("en")) == (
        "## You\n\nRead `a` <script>\n\n"
        "**read_file(a.md)**\n\n````\n```\n<b>x</b>\n```\n````\n\n"
        "**not run: bash(rm -rf /)**\n\n```\nnever\n```\n\n"
        "## Reminder\n\nkeep the list\n\n"
        "## HelloClaw\n\n**Done**\n\n"
        "## Error\n\nIt broke. Try again.\n"
    )
    assert as_markdown([], texts("en")) == ""


def test_long_output_is_cut_and_says_so() -> None:
    long = events.ToolEnd(id="1", name="bash", duration_ms=1, output_preview="", output="x" * 2500)
    assert as_markdown([long], texts("zh")).endswith("x\n[还有 500 个字符]\n```\n")


def test_html_carries_text_and_runs_nothing() -> None:
    page = as_html(PAST, texts("zh"))
    assert '<html lang="zh">' in page
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "<b>" not in page
    assert "default-src 'none'" in page
