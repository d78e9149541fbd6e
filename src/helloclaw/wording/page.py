"""A conversation as one page of HTML that needs nothing else: no script, no address it would load, its own colours.

All that was said is text here, except that a model's answers are Markdown without HTML in it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from helloclaw.i18n import Texts
from helloclaw.wording.plain import one_line, visible
from helloclaw.wording.transcript import Entry, Facts

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

    from helloclaw.llm.messages import ImageBlock

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_LINKS = ("https://", "http://", "mailto:")
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
# Some lexers take a time that grows with the square of a line.
_COLOURED_CHARS, _COLOURED_COLUMNS = 50_000, 600
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.*-]{1,30}")
_DIFF = (("@@", "gu"), ("+++", "gh"), ("---", "gh"), ("+", "gi"), ("-", "gd"))


def page(about: Facts, said: Sequence[Entry], say: Texts) -> str:
    markdown = _markdown()
    title = html.escape(about.title)
    row = html.escape(about.row(say))
    return "\n".join(
        (
            "<!doctype html>",
            f'<html lang="{say.lang}"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title><style>{_style()}</style></head>",
            f"<body><header><h1>{title}</h1>{f'<p>{row}</p>' if row else ''}</header><main>",
            *(_entry(entry, markdown, say) for entry in said),
            "</main></body></html>\n",
        )
    )


def _entry(entry: Entry, markdown: MarkdownIt, say: Texts) -> str:
    heading = html.escape(entry.heading)
    pictures = "".join(_picture(image, say) for image in entry.images)
    match entry.kind:
        case "rule":
            return f'<hr><p class="rule">{heading}</p>'
        case "tool":
            command = f"<pre><code>{_coloured(entry.command, 'bash', '')}</code></pre>" if entry.command else ""
            diff = f'<pre class="diff">{_diff(entry.diff)}</pre>' if entry.diff else ""
            output = f"<pre>{html.escape(entry.body)}</pre>" if entry.body else ""
            state = ' class="failed"' if entry.failed else ""
            return f"<details{state}><summary>{heading}</summary>{command}{diff}{output}{pictures}</details>"
        case "assistant":
            # Once more visible: an entity such as `&#x202e;` is a character only now.
            return f'<section class="assistant"><h2>{heading}</h2>{visible(markdown.render(entry.body))}</section>'
        case "user" | "note":
            text = f"<p>{html.escape(entry.body)}</p>" if entry.body else ""
            return f'<section class="{entry.kind}"><h2>{heading}</h2>{text}{pictures}</section>'


def _markdown() -> MarkdownIt:
    """None of the text's own HTML, no pictures, links only to the web or to mail."""
    from markdown_it import MarkdownIt

    options = {"html": False, "highlight": _coloured}
    markdown = MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).disable("image")
    markdown.validateLink = lambda url: url.lower().startswith(_LINKS)  # type: ignore[method-assign] - how the library is told
    markdown.add_render_rule("link_open", _link_open)
    return markdown


def _link_open(renderer: Any, tokens: Sequence[Any], index: int, options: Any, env: Any) -> str:
    del env
    tokens[index].attrSet("rel", "noopener noreferrer")
    return renderer.renderToken(tokens, index, options, {})


def _coloured(code: str, language: str, _: str) -> str:
    """HTML of code, in spans of pygments' classes where the language is known and colour is worth its time."""
    plain = html.escape(code)
    name = _LANGUAGE.fullmatch(language)
    if name is None or len(code) > _COLOURED_CHARS or max(map(len, code.split("\n"))) > _COLOURED_COLUMNS:
        return plain
    from pygments import highlight
    from pygments.formatters.html import HtmlFormatter
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = find_lexer_class_by_name(language.lower())(stripnl=False, ensurenl=False)
        return highlight(code, lexer, HtmlFormatter(nowrap=True))
    except ClassNotFound:
        return plain
    except Exception:  # A lexer that stumbles over odd code costs its colours, not the page.
        return plain


def _diff(diff: str) -> str:
    return "\n".join(_diff_line(line) for line in diff.split("\n"))


def _diff_line(line: str) -> str:
    kind = next((kind for start, kind in _DIFF if line.startswith(start)), "")
    return f'<span class="{kind}">{html.escape(line)}</span>' if kind else html.escape(line)


def _picture(image: ImageBlock, say: Texts) -> str:
    """The picture itself, within the page; its kind where it is none that a page can hold."""
    kind = html.escape(say("transcript.image", kind=one_line(image.media_type)))
    if image.media_type not in _PICTURES or not _BASE64.fullmatch(image.data):
        return f"<p>{kind}</p>"
    return f'<p><img alt="{kind}" src="data:{image.media_type};base64,{image.data}"></p>'


def _style() -> str:
    text = (files("helloclaw.wording") / "page.css").read_text(encoding="utf-8")
    return "".join(_without_comments(text))


def _without_comments(text: str) -> Iterable[str]:
    return (line.strip() for line in re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).splitlines())
