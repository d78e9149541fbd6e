"""What in a clause says who the person is and how to reach them: rules for entities. Pure.

Only of the person, and only what has such a value: “my email is broken” says nothing to keep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from helloclaw.memory.trigger import Trigger

_OWN = (
    r"(?:英文|中文|真实|全|网|艺|笔|小|工作|公司|私人|个人|家庭?|办公室?|常用|备用|现在的?|新|老|主要|默认|QQ|"
    r"qq|微信|手机|居住|收货|联系|出生)*"
    r"(?:名字|姓名|名|网名|昵称|用户名|邮箱地址|邮箱|电子邮件|邮件地址|邮件|电话号码|电话|手机号码|手机号|手机|"
    r"号码|地址|住址|生日|微信号|微信|QQ号?|qq号?|"
    r"公司|单位|职业|职位|岗位|工作单位|学校|母校|专业|城市|家乡|老家|籍贯|时区|母语|博客|个人网站|网站|主页|"
    r"GitHub|github|推特|工号|年龄|血型|星座|"
    r"车牌号?|邮编|联系方式|域名|导师|老板|上司|经理|同事|搭档)"
)
_MINE = re.compile(
    r"(?:^|[，,；;]\s*)(?:另外|对了|顺便说一下|还有|补充一下)?[，,：:]?\s*(?P<mine>我的?(?P<what>"
    + _OWN
    + r"))\s*(?P<is>就?是|为|叫做?|在|[：:＝=])\s*(?P<value>[^，,；;。]{1,120})"
)
_CALLED = re.compile(
    r"(?:^|[，,；;]\s*)(?:你好[，,]\s*)?(?P<mine>(?:我叫做?|我姓|我的名字叫做?|叫我|请叫我|"
    r"以后叫我))(?P<value>[\u4e00-\u9fff·]{1,5}|[A-Za-z][A-Za-z .'’-]{1,24})(?:就好|就行|吧|即可)?(?=$|"
    r"[，,；;])"
)
_IS_MINE_CHINESE = re.compile(
    r"(?:^|[，,；;]\s*)(?P<value>[^\s，,；;。]{2,60})\s*(?:就是|是)(?:我的|我)(?P<what>" + _OWN + r")(?=$|[，,；;])"
)
_NO_VALUE = re.compile(
    r"(?:不|没|什么|错|坏|空|否|怎么|哪|谁|多少|几|被|吗|你|您|他|她|这|那|同一|一样|公开|保密|秘密|问题|啥|动|"
    r"停|干|去|来|做|别|再|先|如何|为什么|正在|已经|很|太|非常|有点|最|个)"
)
_ENGLISH_OWN = (
    r"(?:(?:full|first|last|middle|real|given|family|nick|user|screen|work|personal|private|home|office|"
    r"business|mobile|cell|new|primary|preferred|"
    r"main|github|mailing|postal|street|email|e-mail|phone|native|current|twitter|slack|discord|gitlab|company|"
    r"default)[ -]?){0,2}"
    r"(?:name|nickname|username|handle|email|e-mail|mail|number|phone|telephone|mobile|address|birthday|"
    r"date of birth|time ?zone|hometown|city|"
    r"country|employer|company|school|university|college|language|mother tongue|blog|website|homepage|github|"
    r"twitter|job title|title|role|profession|occupation|"
    r"pronouns|manager|boss|team|department|postcode|zip code|domain|laptop|editor|shell|age)"
)
_ENGLISH_MINE = re.compile(
    r"(?:^|[,;]\s*|\b(?:and|but|so)\s+)(?:(?:hi|hello|hey|btw|by the way|fyi|also|for the record|note)[,:!]?\s+)*"
    r"(?P<mine>my)\s+(?P<what>" + _ENGLISH_OWN + r")(?:\s+(?:is|are)|['’]s|\s*[:=])\s+(?P<value>[^,;]{1,120})",
    re.IGNORECASE,
)
_IS_MINE = re.compile(
    r"^(?P<value>\S+@\S+\.\w+|\+?[\d() -]{6,20}\d|[A-Z][\w.-]*(?:\s+[A-Z][\w.-]*){0,3})\s+is\s+my\s+(?P<what>"
    + _ENGLISH_OWN
    + r")$",
    re.IGNORECASE,
)
_CALL_ME = re.compile(
    r"(?:^|[,;]\s*)(?i:please\s+|you can\s+|just\s+)?(?P<mine>(?i:call me))\s+(?P<value>[A-Z][\w'’-]{1,20})$"
)
_VALUE_IS_NAME = re.compile(
    r"[\"“'‘\ue000]|[A-Z0-9+@#(]|[\u4e00-\u9fff]|https?://|www\.|\w+[.-]\w|[a-z]+/[A-Z]|(?:the |a |an )[A-Z]"
)
_DATE = re.compile(
    r"\d|[一二三四五六七八九十]+月|january|february|march|april|may|june|july|august|september|october|"
    r"november|december",
    re.IGNORECASE,
)
_POINTS = re.compile(r"[这那它他她你]|上面|下面")


def entities(masked: str) -> Iterator[Trigger]:
    """What a sentence, with quotations masked, says of who the person is."""
    yield from _chinese(masked)
    yield from _english(masked)


def _chinese(masked: str) -> Iterator[Trigger]:
    for match in _MINE.finditer(masked):
        if not _NO_VALUE.match(match["value"]) and _fits(match["what"], match["value"], chinese=True):
            yield _at(match.start("mine"))
    for match in _IS_MINE_CHINESE.finditer(masked):
        if _fits(match["what"], match["value"], chinese=True) and not _POINTS.match(match["value"]):
            yield _at(match.start("value"))
    for match in _CALLED.finditer(masked):
        if not _NO_VALUE.match(match["value"]):
            yield _at(match.start("mine"))


def _english(masked: str) -> Iterator[Trigger]:
    for match in _ENGLISH_MINE.finditer(masked):
        if _fits(match["what"], match["value"], chinese=False):
            yield _at(match.start("mine"))
    if (match := _IS_MINE.search(masked)) and _fits(match["what"], match["value"], chinese=False):
        yield _at(0)
    if match := _CALL_ME.search(masked):
        yield _at(match.start("mine"))


def _at(start: int) -> Trigger:
    return Trigger("entity", start, start)


def _fits(what: str, value: str, *, chinese: bool) -> bool:
    """Whether a value is one of such a thing, not something that is said of it (“my email is broken”)."""
    what, value = what.lower(), value.strip()
    if "mail" in what or "邮箱" in what or "邮件" in what:
        return "@" in value
    if any(word in what for word in ("phone", "number", "mobile", "telephone", "电话", "手机", "号码")):
        return sum(map(str.isdigit, value)) >= 5 or (chinese and what.endswith("手机") and value[0].isascii())
    if "birth" in what or "生日" in what:
        return _DATE.search(value) is not None
    if what == "age" or "年龄" in what:
        return any(map(str.isdigit, value))
    return chinese or _VALUE_IS_NAME.match(value) is not None
