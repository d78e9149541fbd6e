"""The agent's name, as IDENTITY.md says it. Pure."""

from __future__ import annotations

import re
import unicodedata

DEFAULT_NAME = "HelloClaw"
LONGEST_NAME = 60

_FIELD = re.compile(
    r"""^[ \t]*(?:[-*+][ \t]+)?                          # a list item or none
        (?P<bold>\*\*|__)?[ \t]*(?:名称|名稱|名字|name)[ \t]*
        (?:\*\*|__)?[ \t]*[:：][ \t]*(?:\*\*|__)?        # the colon within or after the bold part
        (?P<value>[^\n]*)
        (?:\n[ \t]+(?P<below>[^-*+#\s][^\n]*|\*\*[^\n]*))?  # or an indented line below it
    """,
    re.MULTILINE | re.IGNORECASE | re.VERBOSE,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SAID = re.compile(
    r"选一个|選一個|pick (?:one|a name|something)|to be (?:decided|chosen)|your name|你的名字|agent name"
)
_WORDS = frozenset(
    [
        "tbd",
        "tba",
        "todo",
        "fixme",
        "n/a",
        "none",
        "null",
        "nil",
        "unknown",
        "unnamed",
        "undefined",
        "placeholder",
        "name",
        "?",
        "??",
        "???",
        ".",
        "..",
        "...",
        "…",
        "-",
        "--",
        "—",
        "待定",
        "未定",
        "待填",
        "待填写",
        "未填写",
        "未命名",
        "未知",
        "暂无",
        "无",
        "没有",
        "空",
        "名称",
        "名字",
        "？",
        "？？",
        "？？？",
        "……",
        "——",
    ]
)
_PAIRS = {"(": ")", "（": "）", "[": "]", "【": "】", "<": ">", "{": "}", "《": "》"}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "`": "`"}


def established(text: str) -> str | None:
    """The name that an IDENTITY.md gives; None while it gives none or a placeholder.

    It is one line of at most 60 characters, with nothing invisible in it.
    """
    for found in _FIELD.finditer(_COMMENT.sub("", text)):
        value = found["value"] if found["value"].strip(" \t*") else found["below"] or ""
        if name := _name(value):
            return name
    return None


def _name(value: str) -> str:
    """What is a name in a field's value; "" if nothing is."""
    plain = "".join(char if char == "\u200d" or _is_seen(char) else " " for char in value)
    plain = " ".join(plain.replace("**", "").split())
    if plain.startswith("_"):
        return ""
    plain = _unwrapped(plain.strip("* "), _QUOTES)
    if _is_placeholder(plain):
        return ""
    return plain[:LONGEST_NAME].strip("\u200d ")


def _is_placeholder(plain: str) -> bool:
    bare = _unwrapped(plain, _PAIRS)
    # All of it in brackets is a remark about the name; `小爪（Claw）` is one.
    if not bare or bare != plain:
        return True
    folded = plain.casefold()
    if folded in _WORDS or folded.strip(" .。!！") in _WORDS or _SAID.search(folded) is not None:
        return True
    return not any(unicodedata.category(char)[0] in "LNS" for char in plain)


def _unwrapped(text: str, pairs: dict[str, str]) -> str:
    """`text` without the pairs that are around all of it."""
    while len(text) >= 2 and pairs.get(text[0]) == text[-1] and _is_one(text[1:-1], text[0], text[-1]):
        text = text[1:-1].strip()
    return text


def _is_one(inner: str, opening: str, closing: str) -> bool:
    """Whether the pair around `inner` belongs together: not so in `(a) and (b)`."""
    depth = 0
    for char in inner:
        if char == closing and (opening == closing or depth == 0):
            return False
        depth += (char == opening) - (char == closing)
    return True


def _is_seen(char: str) -> bool:
    return unicodedata.category(char)[0] not in "CZ" or char == " "
