"""What a message leaves behind, by cases; and that no message takes long."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.memory.capture import MOST_NOTES, Captured, capture
from helloclaw.memory.secrets import has_secret
from helloclaw.memory.worth import may_hold
from tests.support.corpus import corpus_file

OWN = Path(__file__).with_name("capture_cases.jsonl")


def cases(path: Path) -> list[Any]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(line["message"], line["expect"], id=line.get("id", line["message"][:40])) for line in lines]


@pytest.mark.parametrize(("message", "expect"), [*cases(corpus_file("memory-capture.jsonl")), *cases(OWN)])
def test_what_is_captured(message: str, expect: list[dict[str, str]]) -> None:
    left = list(capture(message))
    for each in expect:
        match = next((one for one in left if one.category == each["category"] and each["contains"] in one.text), None)
        assert match is not None, left
        left.remove(match)
    assert expect or left == []


@pytest.mark.parametrize(("message", "expect"), [*cases(corpus_file("memory-capture.jsonl")), *cases(OWN)])
def test_a_glance_misses_nothing(message: str, expect: list[dict[str, str]]) -> None:
    del expect
    assert may_hold(message) or capture(message) == ()


TRIGGERING = st.sampled_from(
    ["I prefer ", "I hate ", "Remember ", "We decided to ", "My name is ", "Fact: ", "Decision: ", "Let's go with ",
     "it was decided that ", "call me ", "a@b.cd is my email", "keep in mind ", "我喜欢", "记住", "就用",
     "我的邮箱是", "统一用"]
)  # fmt: skip


@given(TRIGGERING, st.text(max_size=30))
def test_a_glance_misses_nothing_of_any_text(start: str, rest: str) -> None:
    assert may_hold(start + rest) or capture(start + rest) == ()


@pytest.mark.parametrize(
    ("message", "captured"),
    [
        ("我喜欢喝茶，所以请推荐茶馆。", [Captured(category="preference", text="用户喜欢喝茶")]),
        ("I really don't like spam!", [Captured(category="preference", text="User really doesn't like spam")]),
        ("记住：周一开会。周一开会，请记住。", [Captured(category="fact", text="周一开会")]),
        ("I prefer tea. I prefer tea.", [Captured(category="preference", text="User prefers tea")]),
        ("I like tea, my name is Ada Lovelace", [
            Captured(category="preference", text="User likes tea"),
            Captured(category="entity", text="my name is Ada Lovelace"),
        ]),
        ("Keep in mind that v1.2.3 is at https://a.example/b.c?d=e.", [
            Captured(category="fact", text="v1.2.3 is at https://a.example/b.c?d=e"),
        ]),
    ],
)  # fmt: skip
def test_the_whole_text(message: str, captured: list[Captured]) -> None:
    assert list(capture(message)) == captured


HOSTILE = (
    "a", "I like ", "我喜欢", '"', ",", "and ", "1 ", "我喜欢茶\n", " ", "so ok ", "我的工作", "my full ", "key ",
    "eyJ", "a://", "请你帮我", "```\n", "'", "，", ".", "A.", "记住", "just remember ", "4111-1111-", "我都",
)  # fmt: skip


@pytest.mark.alone
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_is_read_in_no_time(piece: str) -> None:
    """A rule whose work grows faster than the text would take minutes here."""
    assert len(capture(piece * (1_000_000 // len(piece)))) <= MOST_NOTES
    capture(f"I prefer {piece * 60}")
    has_secret(piece * (20_000 // len(piece)))


@given(st.text(max_size=400))
def test_any_text_leaves_single_lines_without_secrets(text: str) -> None:
    for each in capture(f"I prefer {text}\n我喜欢{text}"):
        assert each.text == " ".join(each.text.split())
        assert not has_secret(each.text)


SECRETS = (
    "sk-proj-abcdefghijklmnop", "my key sk-ant-REDACTED-000000", "AKIAIOSFODNN7EXAMPLE", "ghp_0123456789abcdefghij",
    "password: hunter2", "the password is hunter2", "密码是 hunter2", "口令：芝麻开门", "PIN 4821", "token = abc",
    "postgres://u:p@h/db", "-----BEGIN RSA PRIVATE KEY-----", "4111 1111 1111 1111", "5500-0000-0000-0004",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.sig", "API key 0123abcd", "Zx81kQpLw7Rt5VbN2mYc", "wifi 密码 12345678",
    "my password", "xoxb-123456789012-abcdef",
)  # fmt: skip
HARMLESS = (
    "Tokens expire after an hour", "密码至少 12 位", "The password reset page is slow", "version 2.3.1",
    "commit 3bc31ef", "call 138-1234-5678", "order 1234567890123", "https://example.com/a/b-c_d?e=f",
    "user@example.com", "keyboard: ISO", "The monkey is here", "src/helloclaw/memory/capture.py",
    "keep secrets out of the repository",
)  # fmt: skip


@pytest.mark.parametrize("text", SECRETS)
def test_secrets(text: str) -> None:
    assert has_secret(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret(text: str) -> None:
    assert not has_secret(text)
