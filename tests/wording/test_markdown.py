"""Words of others stay words inside Markdown of ours."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from helloclaw.wording.markdown import cell, code, fenced, literal
from helloclaw.wording.plain import one_line, visible

MARKUP = st.text("ab_*`~[]()<>|#&!\\;:\"'1. é中$\n-+=", max_size=30) | st.text(max_size=30)


def rendered(markdown: str) -> str:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)


def plain(text: str) -> str:
    return html.escape(text).replace("&#x27;", "'")


@given(MARKUP)
def test_a_literal_is_shown_as_it_is(text: str) -> None:
    assert rendered(f"x {literal(text)} x") == f"<p>{' '.join(f'x {plain(one_line(text))} x'.split(' '))}</p>\n"


@given(MARKUP)
def test_a_literal_and_code_stay_in_their_cells(text: str) -> None:
    table = f"| a | b |\n|---|---|\n| x{literal(text)}x | {cell(code(f'x{text}x'))} |"
    found = rendered(table)
    assert f"<td>x{plain(one_line(text))}x</td>" in found
    assert f"<td><code>{plain(one_line(f'x{text}x'))}</code></td>" in found


@given(MARKUP)
def test_a_block_holds_all_of_its_text(text: str) -> None:
    found = rendered(fenced(f"x{text}x"))
    assert found == f"<pre><code>{plain(visible(f'x{text}x'))}\n</code></pre>\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("read_file(a_b.py)", "read_file(a_b.py)"),
        ("__init__.py", r"\_\_init\_\_.py"),
        ("~/.helloclaw", "~/.helloclaw"),
        ("C:\\new", "C:\\new"),
        ("a & b", "a & b"),
        ("[x](https://example.org)", r"\[x\](https://example.org)"),
    ],
)
def test_only_what_means_something_is_escaped(text: str, shown: str) -> None:
    assert literal(text) == shown
