"""Secrets in a text: keys, tokens, passwords, numbers of cards. What holds one is never stored. Pure, and linear.

It may find too much: a note that is missing does less harm than a password that lies in a file.
"""

from __future__ import annotations

import re

_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY"
    r"|(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?:[A-Za-z0-9]{1,12}[-_]){0,3}[A-Za-z0-9_-]{8,}"
    r"|(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|xox[abposr]-|hf_|npm_|pypi-|dop_v1_|AIza|ya29\.|"
    r"SG\.)[A-Za-z0-9_.-]{8,}"
    r"|(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}"
    r"|(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}"
    r"|[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/@:]{1,80}:[^\s/@]{1,200}@"
)
_WORD = (
    r"pass[ _-]?(?:words?|phrases?|codes?|wd)|pwd|pass(?=\s*[:=：])|secrets?(?:[ _-]?keys?)?|api[ _-]?keys?|"
    r"access[ _-]?keys?"
    r"|private[ _-]?keys?|(?:auth|access|api|bearer|session|refresh)[ _-]?tokens?|tokens?|credentials?|cvv|cvc|"
    r"pin(?:[ _-]?code)?"
    r"|credit[ _-]?cards?|card[ _-]?numbers?|security[ _-]?codes?|otp|recovery[ _-]?codes?"
)
_CHINESE_WORD = (
    "密码|口令|密钥|私钥|秘钥|令牌|验证码|支付码|通行码|暗号|银行卡号?|信用卡号?|卡号|身份证号?码?|助记词|凭证|凭据"
)
# The word, and then what looks like its value.
_NAMED = re.compile(
    rf"(?:(?<![A-Za-z])(?:{_WORD})(?![A-Za-z])|{_CHINESE_WORD})"
    r"(?:\s*(?:[:=：＝]|is\b|are\b|was\b|is:|就是|是|为|叫|改成|设成|设为|改为|换成|->|→)\s*\S"
    r"|[ \t]+(?=[^\s]{0,60}\d)[^\s]{4,})",
    re.IGNORECASE,
)
# Whose it is makes it one, however it is told.
_OWN = re.compile(
    rf"(?:\bmy|\bour|我的|我们的)\s*[\w ]{{0,20}}?(?:(?<![A-Za-z])(?:{_WORD})(?![A-Za-z])|{_CHINESE_WORD})",
    re.IGNORECASE,
)
_KEY = re.compile(r"(?<![A-Za-z])keys?\s*(?:[:=：]|is\b|是|为)?\s*[A-Za-z0-9_+/=.-]{12,}", re.IGNORECASE)
_TOKEN = re.compile(r"(?<![A-Za-z0-9_/.@-])[A-Za-z0-9+/_=-]{20,200}(?![A-Za-z0-9_/.@-])")
_DIGITS = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
_IDENTITY = re.compile(r"(?<!\d)[1-9]\d{16}[\dXx](?![\dXx])")


def has_secret(text: str) -> bool:
    """Whether `text` holds something that looks like a secret."""
    return (
        _SHAPES.search(text) is not None
        or _NAMED.search(text) is not None
        or _OWN.search(text) is not None
        or _KEY.search(text) is not None
        or any(_is_random(found[0]) for found in _TOKEN.finditer(text))
        or any(_passes_luhn(found[0]) for found in _DIGITS.finditer(text))
        or _IDENTITY.search(text) is not None
    )


def _is_random(word: str) -> bool:
    """Capitals, small letters and digits without a word among them: nobody reads that aloud."""
    kinds = (any(map(str.isupper, word)), any(map(str.islower, word)), any(map(str.isdigit, word)))
    if sum(kinds) == 3:
        return True
    # Hexadecimal as long as a key; half as long is a commit or a UUID.
    return len(word) >= 48 and kinds[2] and all(char in "0123456789abcdefABCDEF" for char in word)


def _passes_luhn(number: str) -> bool:
    """The check digit of payment cards (ISO/IEC 7812-1)."""
    digits = [int(char) for char in number if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[::-2]) + sum(doubled)) % 10 == 0
