"""A conversation as a document: readable, and harmless whatever was said in it."""

from __future__ import annotations

import base64
import re
import time
from html.parser import HTMLParser
from importlib.resources import files

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.i18n import Lang, texts
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import ImageBlock
from helloclaw.protocol import events
from helloclaw.protocol.events import Event
from helloclaw.wording.transcript import as_html, as_jsonl, as_markdown, facts

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
    "&#x202e;&#8238;&#x1b;[31m<b>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "[x](http://example.org/?a=1&b=<script>)",
    "[x](//example.org/y)",
    "[x](/etc/passwd)",
    "[x](blob:https://example.org/1)",
    "[x](mailto:a@example.org?subject=<script>)",
    "<javascript:alert(1)>",
    "[x](<javascript:alert(1)>)",
    "[x](%6aavascript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "```<img/src=x>\nx\n```",
    "~~~python onclick=alert(1)\n'</code></pre><script>alert(1)</script>'\n~~~",
    "```html\n--><script>alert(1)</script><!--\n```",
    "--- a/x\n+++ b/<script>\n@@ -1 +1 @@\n-<b>\n+<img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    '" autofocus onfocus="alert(1)',
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_text(text: str) -> None:
    picture = ImageBlock(media_type=text, data=text)
    past: list[Event] = [
        events.UserMessage(text=text, images=(picture,)),
        events.ToolUse(id="1", name=text, input={"command": f"{text}\n{text}"}),
        events.ToolEnd(id="1", name=text, duration_ms=1, output_preview="", output=text, diff=text, images=(picture,)),
        events.ToolDenied(id="2", name=text, input={}, reason=text, output=text, source="hook"),
        events.AssistantEnd(text=text, model=text),
        events.AssistantEnd(text=f"```{text}\n{text}\n```"),
        events.ErrorEvent(message=text, hint=text),
        events.Compacted(summary=text, keep_from=1, before_tokens=1, after_tokens=1),
        events.SessionUpdated(title=text),
    ]
    page = as_html(past, texts("en"))
    found = Found(page)
    assert found.tags <= ALLOWED_TAGS
    assert found.attributes <= ALLOWED_ATTRIBUTES
    assert [url for url in found.links if not url.startswith(("http://", "https://", "mailto:"))] == []
    assert (found.sources, [char for char in "\u202e\u2066\x1b\x01" if char in page]) == ([], [])


@given(st.text("<>/\"'=`*_[]()!:#&;\n\t xajvscriptonerrimgdata-|~", max_size=60))
def test_no_text_makes_markup(text: str) -> None:
    found = Found(as_html([events.AssistantEnd(text=text), events.SessionUpdated(title=text)], texts("en")))
    assert found.tags <= ALLOWED_TAGS
    assert found.attributes <= ALLOWED_ATTRIBUTES
    assert [url for url in found.links if not url.startswith(("http://", "https://", "mailto:"))] == []


def test_what_was_taken_back_is_not_shown() -> None:
    past: list[Event] = [
        events.SessionUpdated(seq=1, title=""),
        events.UserMessage(seq=2, text="kept"),
        events.UserMessage(seq=3, text="gone"),
        events.SessionUpdated(seq=4, title="a name stays"),
        events.Rewound(seq=5, to=3),
    ]
    assert as_markdown(past, texts("en")) == "## You\n\nkept\n"
    assert "gone" not in as_html(past, texts("en"))
    assert facts(past).title == "a name stays"
    assert facts([events.UserMessage(seq=1, text="gone"), events.Rewound(seq=2, to=1)]).title == "HelloClaw"


@pytest.mark.parametrize(("lang", "told"), [("en", "The conversation begins anew here"), ("zh", "对话从此处重新开始")])
def test_a_cleared_conversation_begins_anew_below_a_rule(lang: Lang, told: str) -> None:
    past: list[Event] = [
        events.UserMessage(text="one"),
        events.Cleared(conversation=True),
        events.Cleared(usage=True),
        events.UserMessage(text="two"),
    ]
    you = texts(lang)("transcript.user")
    assert as_markdown(past, texts(lang)) == f"## {you}\n\none\n\n---\n\n*{told}*\n\n## {you}\n\ntwo\n"
    assert as_html(past, texts(lang)).count(f'<hr><p class="rule">{told}</p>') == 1


MEASURED: list[Event] = [
    events.UserMessage(ts=1.7e9, text="count *this*"),
    events.AssistantEnd(text="One.", model="deepseek/deepseek-chat"),
    events.AssistantEnd(text="Two.", model="zhipu/glm"),
    events.UsageEvent(
        last=Usage(),
        total=Usage(input=1200, output=300, cache_read=5000),
        context_tokens=1,
        token_threshold=2,
        ctx_percent=50.0,
        cost_usd=0.0123,
    ),
]


@pytest.mark.parametrize(
    ("lang", "row"),
    [
        ("en", "deepseek/deepseek-chat, zhipu/glm · 6,200 tokens in, 300 out · $0.0123"),
        ("zh", "deepseek/deepseek-chat、zhipu/glm · 输入 6,200 token，输出 300 token · $0.0123"),
    ],
)
def test_title_day_models_tokens_and_cost_stand_above(lang: Lang, row: str) -> None:
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(1.7e9))
    titled = as_markdown(MEASURED, texts(lang), titled=True)
    assert titled.startswith(f"# count \\*this\\*\n\n{day} · {row}\n\n## ")
    page = as_html(MEASURED, texts(lang))
    assert f"<header><h1>count *this*</h1><p>{day} · {row}</p></header>" in page
    assert "<title>count *this*</title>" in page
    assert as_markdown([], texts(lang), titled=True) == ""


def test_what_a_tool_did_is_told_whole_and_in_colour() -> None:
    diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old <1>\n+new\n same\n"
    past: list[Event] = [
        events.ToolUse(id="1", name="bash", input={"command": "for x in *\ndo echo; done"}),
        events.ToolEnd(id="1", name="bash", duration_ms=1, output_preview="", output="no", error="exit 1", diff=diff),
    ]
    heading = "bash(for x in * do echo; done)"
    assert as_markdown(past, texts("en")) == (
        f"**{heading.replace('*', chr(92) + '*')}**\n\n```bash\nfor x in *\ndo echo; done\n```\n\n"
        "```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old <1>\n+new\n same\n```\n\n```\nno\n```\n"
    )
    page = as_html(past, texts("en"))
    assert f'<details class="failed"><summary>{heading}</summary><pre><code><span class="k">for</span>' in page
    assert (
        '<pre class="diff"><span class="gh">--- a/x</span>\n<span class="gh">+++ b/x</span>\n'
        '<span class="gu">@@ -1 +1 @@</span>\n<span class="gd">-old &lt;1&gt;</span>\n<span class="gi">+new</span>\n'
        " same</pre><pre>no</pre></details>"
    ) in page


@pytest.mark.parametrize(
    ("fence", "shown"),
    [
        ("```python\nif x:\n```", '<span class="k">if</span> <span class="n">x</span><span class="p">:</span>'),
        ("```no-such-language\n<b>\n```", '<pre><code class="language-no-such-language">&lt;b&gt;'),
        ("```python\n" + "x" * 700 + "\n```", '<pre><code class="language-python">' + "x" * 700),
        ("```python\n\n\nx\n```", '<code class="language-python">\n\n<span'),
    ],
)
def test_code_is_in_colour_where_that_is_cheap(fence: str, shown: str) -> None:
    assert shown in as_html([events.AssistantEnd(text=fence)], texts("en"))


def test_links_say_nothing_of_where_they_come_from() -> None:
    page = as_html([events.AssistantEnd(text="[a](https://example.org 'b')")], texts("en"))
    assert '<a href="https://example.org" title="b" rel="noopener noreferrer">a</a>' in page


def test_pictures_are_within_the_page() -> None:
    png = base64.b64encode(b"\x89PNG").decode()
    good, strange, lost = (
        ImageBlock(media_type="image/png", data=png),
        ImageBlock(media_type="image/svg+xml", data=png),
        ImageBlock(media_type="image/png", data="file:0.png"),
    )
    past: list[Event] = [
        events.UserMessage(text="look", images=(good, strange)),
        events.ToolEnd(id="1", name="read_file", duration_ms=1, output_preview="", output="", images=(good, lost)),
    ]
    assert Found(as_html(past, texts("en"))).sources == [f"data:image/png;base64,{png}"] * 2
    assert as_markdown(past, texts("zh")) == (
        "## 你\n\nlook\n\n*[图片：image/png]*\n\n*[图片：image/svg+xml]*\n\n"
        "**read_file**\n\n```\n\n```\n\n*[图片：image/png]*\n\n*[图片：image/png]*\n"
    )


def test_events_are_written_as_they_are() -> None:
    assert [msgspec.json.decode(line, type=Event) for line in as_jsonl(PAST, texts("en")).splitlines()] == PAST


def test_a_page_is_whole() -> None:
    """Every tag that is opened is closed again, in order."""
    found = Found(as_html([*PAST, *MEASURED], texts("zh")))
    assert (found.open, found.stray) == ([], [])


def test_colours_can_be_told_from_their_ground() -> None:
    """WCAG 2.1, 1.4.3: at least 4.5 to 1, in light and in dark."""
    style = (files("helloclaw.wording") / "page.css").read_text()
    themes = [
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]+);", block))
        for block in re.findall(r":root {(.*?)}", style, re.DOTALL)
    ]
    assert len(themes) == 2
    for theme in themes:
        texts_on = {"added-ground": ["added"], "removed-ground": ["removed"]}
        words = [name for name in theme if name not in {"ground", "block", "line", "added", "removed", *texts_on}]
        for ground, names in {"ground": words, "block": words, **texts_on}.items():
            assert [name for name in names if contrast(theme[name], theme[ground]) < 4.5] == []


def contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


ALLOWED_TAGS = frozenset(
    "html head meta title style body header main h1 h2 h3 h4 h5 h6 section p pre code span details summary a em strong "  # noqa: SIM905
    "s ul ol li blockquote hr br table thead tbody tr th td".split()
)
ALLOWED_ATTRIBUTES = frozenset("lang charset http-equiv content name class rel href title style start".split())  # noqa: SIM905
_NEVER_CLOSED = frozenset({"meta", "hr", "br", "img"})


class Found(HTMLParser):
    """Every tag, attribute and address of a page, as a browser would find them. `open` was never closed, `stray` never
    opened.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.sources: list[str] = []
        self.open: list[str] = []
        self.stray: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]
        self.sources += [value or "" for name, value in attrs if name == "src"]
        if tag not in _NEVER_CLOSED:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1:] == [tag]:
            self.open.pop()
        else:
            self.stray.append(tag)
