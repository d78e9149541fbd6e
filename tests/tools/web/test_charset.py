"""Text of any country, whatever the server says about it."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.tools.web.charset import decode

CHINESE = "这是一个用来检查编码的测试页面，欢迎光临我们的网站。"
TRADITIONAL = "這是一個用來檢查編碼的測試頁面，歡迎光臨我們的網站。"
JAPANESE = "これは文字コードを調べるためのページです。"
KOREAN = "이것은 문자 인코딩을 확인하기 위한 페이지입니다."
RUSSIAN = "Это тестовая страница на русском языке, добро пожаловать."
TEXTS = {
    "utf-8": CHINESE,
    "gbk": CHINESE,
    "gb2312": CHINESE,
    "gb18030": CHINESE + "𠀀",
    "big5": TRADITIONAL,
    "shift_jis": JAPANESE,
    "euc-kr": KOREAN,
    "windows-1251": RUSSIAN,
}


@pytest.mark.parametrize(("name", "text"), TEXTS.items())
def test_named_by_the_header(name: str, text: str) -> None:
    assert decode(text.encode(name), f'text/html; charset="{name}"') == text


@pytest.mark.parametrize(("name", "text"), TEXTS.items())
def test_named_by_the_page(name: str, text: str) -> None:
    for tag in (f'<meta charset="{name}">', f'<META http-equiv=x content="text/html; charset={name}">'):
        assert decode((tag + text).encode(name), "text/html") == tag + text
    declaration = f'<?xml version="1.0" encoding="{name}"?>'
    assert decode((declaration + text).encode(name)) == declaration + text


@pytest.mark.parametrize(("name", "text"), TEXTS.items())
def test_named_by_nobody(name: str, text: str) -> None:
    assert decode(text.encode(name), "text/plain") == text


@pytest.mark.parametrize("text", ["短", "你好世界", "<p>标题 with English around it</p>"])
def test_little_text_is_chinese_if_it_can_be(text: str) -> None:
    assert decode(text.encode("gbk")) == text


def test_a_wrong_name_is_seen_through() -> None:
    assert decode(CHINESE.encode("gbk"), "text/html; charset=utf-8") == CHINESE
    assert decode(CHINESE.encode(), "text/html; charset=gb2312") == CHINESE
    assert decode(CHINESE.encode("gbk"), "text/html; charset=no-such-thing") == CHINESE
    assert decode(CHINESE.encode("gbk"), "text/html; charset=base64") == CHINESE
    assert decode((f"<meta charset=utf-16>{CHINESE}").encode()) == f"<meta charset=utf-16>{CHINESE}"


def test_a_stray_byte_does_not_turn_a_page_into_another_language() -> None:
    assert decode(CHINESE.encode() * 3 + b"\xff", "text/html; charset=utf-8") == CHINESE * 3 + "\ufffd"


@pytest.mark.parametrize(
    ("mark", "codec"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_byte_order_mark_counts_most(mark: bytes, codec: str) -> None:
    assert decode(mark + CHINESE.encode(codec), "text/html; charset=gbk") == CHINESE


def test_a_cut_may_go_through_a_character() -> None:
    whole = CHINESE.encode("gbk")
    assert decode(whole[:-1], "text/html; charset=gbk", cut=True).startswith(CHINESE[:-1])
    assert decode(CHINESE.encode()[:-1], cut=True).startswith(CHINESE[:-1])


def test_western_text_is_windows_1252() -> None:
    assert decode("café crème brûlée".encode("latin-1")) == "café crème brûlée"
    assert decode("“quoted”".encode("cp1252"), "text/html; charset=iso-8859-1") == "“quoted”"


@given(st.binary(), st.text(max_size=60))
def test_any_bytes_are_text(body: bytes, content_type: str) -> None:
    decode(body, content_type)
    decode(body, content_type, cut=True)
