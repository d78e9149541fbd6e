"""When two notes say the same, and when one corrects the other. Pure."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Literal

from helloclaw.memory.note import Note

SIMILAR = 0.7
"""Notes that share this much of their words say the same."""

_CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_PIECE = re.compile(rf"(?P<cjk>[{_CJK}]+)|(?P<word>[^\W_{_CJK}]+(?:[._@'’+#-][^\W_{_CJK}]+)*)")
_STOP_WORDS = """
a an and are at be been for from has have i in is it its me my of on or our please so that the their this to user users
was we were will with
"""
_STOP = frozenset(_STOP_WORDS.split())
_STOP_CHARS = str.maketrans("", "", "的了是在和与及也都就会把被着过吧呢吗啊哦")
_NEGATIONS = re.compile(
    r"不|没|无|别|讨厌|厌恶|反感|受不了|\b(?:not|no longer|never|doesn['’]?t|don['’]?t|does not|do not|"
    r"can['’]?t|hates?|dislikes?|detests?|stopped)\b",
    re.IGNORECASE,
)
_LIKING = re.compile(
    r"^(?:用户|我|user|i)\s*(?:个人|真的|也|都|还是|更|最|很|非常|特别|比较|一直|平时|通常|really|also|always|"
    r"usually|generally|still|strongly)*\s*"
    r"(?:不太喜欢|不怎么喜欢|不喜欢|喜欢|偏好|偏爱|讨厌|厌恶|反感|热爱|爱|likes?|loves?|prefers?|hates?|"
    r"dislikes?|enjoys?|"
    r"(?:doesn['’]?t|don['’]?t|does not|do not) (?:really )?(?:like|love|prefer|enjoy))\s*",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"^(?:用户的?|我们的?|我的?|(?:user(?:['’]s)?|my|our|the|i)\b)\s*", re.IGNORECASE)
# What a thing has one of at a time.
_ONE_OF = (
    r"(?:name|nickname|username|handle|e-?mail|phone(?: number)?|number|mobile|address|birthday|time ?zone|"
    r"city|company|employer|server|host|branch|port|"
    r"version|url|domain|database|framework|language|editor|shell|theme|colou?r|region|office|owner|manager|"
    r"boss|lead|deadline|"
    r"release date|date|day|time|meeting|standup|title|role|"
    r"名字|姓名|昵称|网名|邮箱|电话|手机号?|号码|地址|住址|生日|时区|城市|公司|单位|职业|服务器|主机|分支|端口|"
    r"版本|网址|域名|数据库|框架|语言|编辑器|"
    r"主题|颜色|地区|办公室|负责人|经理|老板|截止日期|截止时间|日期|时间|例会|周会|会议|职位|学校|微信号?|QQ号?)"
)
_IS = re.compile(
    rf"^(?P<what>.{{0,40}}?{_ONE_OF})\s*(?:is now called|is called|is named|is now|is at|is on|is|was moved to|"
    rf"moved to|runs on|lives at|"
    r"现在是|改为|改成|改到|换成|换到|就是|是|为|叫做?|在|[:：=])\s*(?P<value>.+)$",
    re.IGNORECASE,
)

Relation = Literal["same", "corrects", "other"]


def normalised(text: str) -> str:
    """A text without what makes no difference: width, case, blanks, punctuation, and that it is about the person."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in _SUBJECT.sub("", folded) if char.isalnum())


def hashed(text: str) -> str:
    """16 hexadecimal digits, the same for texts that differ in nothing that counts."""
    return hashlib.sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def features(text: str) -> frozenset[str]:
    """Latin words and numbers, and the pairs of neighbours in Chinese, Japanese and Korean text."""
    found: set[str] = set()
    for match in _PIECE.finditer(unicodedata.normalize("NFKC", text).casefold()):
        if word := match["word"]:
            if word not in _STOP:
                found.add(_stem(word))
            continue
        run = match["cjk"].removeprefix("用户").translate(_STOP_CHARS)
        found.update(run[at : at + 2] for at in range(len(run) - 1))
        if len(run) == 1:
            found.add(run)
    return frozenset(found)


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """What two texts share of all that they have, from 0 to 1."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def relation(new: Note, old: Note) -> Relation:
    """Whether a new note says what an old one says, or something else about the same thing."""
    if normalised(new.text) == normalised(old.text):
        return "same"
    if _corrects(new, old):
        return "corrects"
    new_features, old_features = features(new.text), features(old.text)
    if (
        similarity(new_features, old_features) >= SIMILAR
        and _is_negative(new.text) == _is_negative(old.text)
        and _numbers(new.text) == _numbers(old.text)
    ):
        return "same"
    return "other"


def _corrects(new: Note, old: Note) -> bool:
    """A wrong answer hides a note that still holds, so that only what can't both be true counts."""
    liked, liked_before = _LIKING.match(new.text), _LIKING.match(old.text)
    if liked and liked_before:
        same = normalised(new.text[liked.end() :]) == normalised(old.text[liked_before.end() :])
        return same and _is_negative(liked[0]) != _is_negative(liked_before[0])
    now, before = _IS.match(new.text), _IS.match(old.text)
    if now is None or before is None or normalised(now["what"]) != normalised(before["what"]):
        return False
    return (
        normalised(now["value"]) != normalised(before["value"]) and max(len(now["value"]), len(before["value"])) <= 60
    )


def _is_negative(text: str) -> bool:
    return len(_NEGATIONS.findall(text)) % 2 == 1


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:[.:/-]\d+)*", unicodedata.normalize("NFKC", text))


def _stem(word: str) -> str:
    """Enough for “prefers” and “prefer” to be one word."""
    return word[:-1] if len(word) > 3 and word.isascii() and word.endswith("s") and not word.endswith("ss") else word
