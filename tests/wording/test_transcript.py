"""A conversation as a document: readable, and harmless whatever was said in it."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

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


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "![x](https://example.org/pixel.png)",
    "![x](javascript:alert(1))",
    '<https://example.org/"onmouseover=alert(1)>',
    '[x](https://example.org "" onclick=alert(1) "")',
    "[x]: javascript:alert(1)\n\n[x]",
    "```html\n<script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\nx\n```',
    "`<script>`",
    "</section></body><script>alert(1)</script>",
    "<style>@import url(//example.org)</style>",
    "<iframe src=//example.org></iframe>",
    "<a href=javascript:alert(1)>x</a>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "| <script>a</script> |\n|---|\n| <img src=x onerror=a> |",
    "# <script>alert(1)</script>",
    "- <details open ontoggle=alert(1)>",
    "> <object data=x>",
    "<!-- --><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "\u202e<script>\u2066alert(1)",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "[x](http://example.org/?a=1&b=<script>)",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_text(text: str) -> None:
    past: list[Event] = [
        events.UserMessage(text=text),
        events.ToolUse(id="1", name=text, input={"command": text}),
        events.ToolEnd(id="1", name=text, duration_ms=1, output_preview="", output=text),
        events.AssistantEnd(text=text),
        events.SessionUpdated(title=text),
    ]
    found = Found()
    found.feed(as_html(past, texts("en")))
    assert found.tags <= ALLOWED_TAGS
    assert found.attributes <= {
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "rel",
        "href",
        "title",
        "style",
    }
    assert [url for url in found.urls if not url.startswith(("http://", "https://", "mailto:", "#"))] == []


def test_what_was_taken_back_is_not_shown() -> None:
    past: list[Event] = [
        events.UserMessage(seq=1, text="kept"),
        events.UserMessage(seq=2, text="gone"),
        events.Rewound(seq=3, to=2),
    ]
    assert as_markdown(past, texts("en")) == "## You\n\nkept\n"


ALLOWED_TAGS = frozenset(
    "html head meta title style body header main h1 h2 h3 h4 h5 h6 section p pre code span details summary a em strong s ul ol li "  # noqa: SIM905
    "blockquote hr br table thead tbody tr th td".split()
)


class Found(HTMLParser):
    """Every tag, attribute and address of a page, as a browser would find them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.urls += [value or "" for name, value in attrs if name in {"href", "src"}]
