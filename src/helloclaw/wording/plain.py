"""Any text made safe to show: nothing in it can steer a terminal, reorder a line or fail to be encoded. Pure."""

from __future__ import annotations

import os

_CONTROLS = [code for code in (*range(32), *range(127, 160)) if code not in (9, 10)]
# Marks that reorder the text around them, so that a command can look like another one (CVE-2021-42574), and ones that
# can't be seen at all.
_INVISIBLE = [0x200B, 0x2060, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_ESCAPES = {code: f"\\x{code:02x}" for code in _CONTROLS} | {code: f"\\u{code:04x}" for code in _INVISIBLE}


def visible(text: str) -> str:
    """Text that a terminal can only show: control characters and invisible ones become `\\x1b`, `\\u202e`…"""
    return text.translate(_ESCAPES)


def one_line(text: str, limit: int = 0) -> str:
    """Text as one visible line, cut with `…` after `limit` characters."""
    line = visible(" ".join(text.split()))
    return f"{line[: limit - 1]}…" if limit and len(line) > limit else line


def sentences(message: str, hint: str) -> str:
    """What happened, and the next step, as one text."""
    return f"{message.rstrip().rstrip('.')}. {hint}" if hint else message


def clean(text: str) -> str:
    """Text without lone surrogates, which bytes that are no UTF-8 leave in arguments: they become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return (
            os.fsencode(text).decode("utf-8", "replace")
            if _from_bytes(text)
            else text.encode("utf-8", "replace").decode()
        )
    return text


def _from_bytes(text: str) -> bool:
    return all(not 0xD800 <= ord(char) <= 0xDFFF or 0xDC80 <= ord(char) <= 0xDCFF for char in text)
