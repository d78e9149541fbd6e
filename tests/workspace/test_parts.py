"""What of the files reaches the prompt, in which order, and how much of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.agent.tokens import text_tokens
from helloclaw.i18n import Lang
from helloclaw.workspace.instructions import Instruction
from helloclaw.workspace.making import template
from helloclaw.workspace.names import NAMES, Name
from helloclaw.workspace.parts import FILE_CHARS, TOGETHER_CHARS, Part, bounded, prompt_parts, without_comments

FILES: dict[Name, str] = {name: f"text of {name}" for name in NAMES}


def told(path: str, text: str) -> Instruction:
    return Instruction(path=Path(path), shown=path, text=text, project=True)


def test_the_order_and_the_headings() -> None:
    parts = prompt_parts(FILES, language="en", root="/w", instructions=[told("/p/CLAUDE.md", "Use tabs.")])
    assert "\n\n".join(part.rendered for part in parts) == (
        "## Your workspace\n\nThese files are in /w\n\ntext of AGENTS.md\n\n"
        "## Getting started\n\ntext of BOOTSTRAP.md\n\n"
        "## Your identity\n\ntext of IDENTITY.md\n\n"
        "## The person you work for\n\ntext of USER.md\n\n"
        "## Your character\n\ntext of SOUL.md\n\n"
        "## Instructions: /p/CLAUDE.md\n\nUse tabs.\n\n"
        "## Long-term memory\n\ntext of MEMORY.md"
    )


def test_in_chinese() -> None:
    parts = prompt_parts(FILES, language="zh", root="/w", instructions=[told("~/.claude/CLAUDE.md", "x")])
    assert [part.title for part in parts] == [
        "你的工作空间",
        "初始化引导",
        "你的身份信息",
        "用户信息",
        "人格模板",
        "指令文件: ~/.claude/CLAUDE.md",
        "长期记忆",
    ]


def test_what_says_nothing_is_left_out() -> None:
    files: dict[Name, str] = {"AGENTS.md": " \n", "USER.md": "<!-- later -->\n", "SOUL.md": "calm"}
    parts = prompt_parts(files, language="en", root="/w", instructions=[told("/p/CLAUDE.md", "<!-- -->")])
    assert parts == (Part(key="soul", title="Your character", text="calm", path="/w/SOUL.md"),)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a <!-- b --> c", "a c"),
        ("a\n<!-- b\nc -->\nd", "a\n\nd"),
        ("a <!-- never closed\nb", "a"),
        ("```html\n<!-- kept -->\n```\n<!-- gone -->", "```html\n<!-- kept -->\n```"),
        ("~~~\n<!-- kept", "~~~\n<!-- kept"),
        ("- likes tea <!-- s:1 seq:2 by:capture -->\n- likes jazz", "- likes tea\n- likes jazz"),
    ],
)
def test_comments_are_for_people(text: str, plain: str) -> None:
    assert without_comments(text) == plain


def test_a_long_file_is_cut_and_says_so() -> None:
    (part,) = prompt_parts({"SOUL.md": "0123456789\n" * 3_000}, language="en", root="/w")
    marker = f"[cut: {part.cut:,} more characters; read_file /w/SOUL.md has them]"
    kept, _, said = part.text.rpartition("\n\n")
    assert said == marker
    assert (len(kept) + part.cut, set(kept.split("\n"))) == (3_000 * 11 - 1, {"0123456789"})
    assert FILE_CHARS - 100 < len(part.text) <= FILE_CHARS


def test_the_longest_are_cut_first() -> None:
    files: dict[Name, str] = {**dict.fromkeys(NAMES, "汉" * 30_000), "IDENTITY.md": "**名称：** 小爪"}
    parts = prompt_parts(files, language="zh", root="/w")
    assert {part.key: part.cut > 0 for part in parts} == {
        "agents": True,
        "bootstrap": True,
        "identity": False,
        "user": True,
        "soul": True,
        "memory": True,
    }
    assert TOGETHER_CHARS - 500 < sum(len(part.text) for part in parts) <= TOGETHER_CHARS


@given(st.lists(st.integers(min_value=0, max_value=3_000), max_size=12), st.integers(500, 4_000))
def test_never_more_than_is_allowed(sizes: list[int], together: int) -> None:
    parts = [Part(key="user", title="t", text="a" * size, path="/w/USER.md") for size in sizes]
    cut = bounded(parts, each=1_000, together=together)
    shares = together // len(sizes) if sizes else 0
    if shares >= 80:  # enough for the marker itself
        assert sum(len(part.text) for part in cut) <= together
        assert all(len(part.text) <= 1_000 for part in cut)
    if sum(sizes) <= together and max(sizes, default=0) <= 1_000:
        assert list(cut) == parts


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_templates_are_short(language: Lang) -> None:
    files: dict[Name, str] = {name: template(name, language) for name in NAMES if name != "BOOTSTRAP.md"}
    assert text_tokens("".join(files.values())) < 1_200
    parts = prompt_parts(files, language=language, root="/home/me/.helloclaw/workspace")
    assert text_tokens("\n\n".join(part.rendered for part in parts)) < 600
