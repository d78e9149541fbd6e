"""What in a clause says that it is worth keeping: rules for preferences, facts and decisions. Pure.

They are narrow on purpose. A wrong memory is worse than a missing one: who asks, imagines, quotes or speaks of others
says nothing of their own. Each rule looks at masked text, in which quotations say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from helloclaw.memory.entities import entities
from helloclaw.memory.trigger import Trigger

# Where a clause can begin: the start of the sentence, or after a comma and what links one to the next.
_BEGIN = (
    r"(?:^|[，,；;：:—]\s*)(?:(?:但是?|不过|可是?|而且|另外|还有|对了|顺便说一下|顺便说一句|顺便|所以|因为|"
    r"其实|同时|平时|一般来?说?|"
    r"通常|说实话|老实说|坦白说|总之|当然|就我而言|就我个人而言|个人来说|btw|fyi|ps)[，,：:]?\s*)*"
)
_BEGIN_ENGLISH = (
    r"(?:^|[,;:—]\s*|\b(?:and|but|because|since|so|although|though|also)\s+)"
    r"(?:(?:also|and|but|so|well|ok|okay|honestly|actually|personally|generally|usually|in general|as a rule|"
    r"btw|by the way|"
    r"fyi|ps|note|i think|i guess|as for me|for me|to be honest|for the record)[,:]?\s+)*"
)

# ── preferences ──

_HOW_MUCH = (
    r"(?:个人|本人|自己|真的|真|也|都|还是|还|更|最|很|非常|特别|超级?|比较|一直|一向|平时|通常|一般|总是|尤其|"
    r"其实|向来|从来|始终|就|相当|挺|蛮|十分|极其|有点|从小就?|并|完全|根本|实在|格外|可|一点儿?都|一点儿?也)"
)
_LIKES = re.compile(
    _BEGIN + rf"(?P<subject>我|本人)(?P<how>{_HOW_MUCH}{{0,4}})"
    r"(?P<verb>不太喜欢|不怎么喜欢|不是很喜欢|不喜欢|喜欢|喜爱|偏好|偏爱|偏向于?|讨厌|厌恶|反感|受不了|热爱|"
    r"钟爱|爱好(?:是)?|"
    r"不爱(?=[吃喝看用听玩写])|爱(?=[吃喝看用听玩写])|习惯(?=用|使用|在|先|早|晚))"
)
_LIKED = re.compile(r"\s*[^\s，。,.;；！!？?]")
_NO_LIKING = re.compile(
    r"\s*(?:什么|哪|谁|怎么|怎样|吗|你|您|这|那|它|他|她|上面|上述|刚才|第[一二三四五\d]|的是什么|的$|与否|上了|过$)"
)
_ENGLISH_HOW = (
    r"(?:really|also|always|usually|generally|personally|still|just|much|strongly|particularly|especially|"
    r"absolutely|truly|"
    r"quite|very much|definitely|mostly|often|never|do|actually|kind of|sort of|deeply|normally|typically)"
)
_ENGLISH_LIKES = re.compile(
    _BEGIN_ENGLISH + rf"(?P<subject>I)\s+(?P<how>(?:{_ENGLISH_HOW}\s+){{0,3}})"
    r"(?P<verb>(?P<not>do\s?n['’]?t|do not|cannot|can['’]?t)\s+(?:(?:really|much|particularly|even)\s+)?"
    r"(?:like|love|enjoy|prefer|stand|care for|want)|like|love|hate|prefer|enjoy|dislike|adore|detest|despise|"
    r"loathe)\s+",
    re.IGNORECASE,
)
_NO_ENGLISH_LIKING = re.compile(
    r"(?:it\b(?!\s+when)|this\b|that\b|these\b|those\b|you\b|your\b|how you|what you|him\b|her\b|them\b|"
    r"to (?:know|think|bother|say|ask|"
    r"interrupt|admit|be that|see (?:how|what|if)|hear (?:how|what|if))\b|the (?:first|second|third|last|"
    r"latter|former|other|above|following|same|idea|"
    r"way|look|sound|result|output|answer)\b|where this|what i)",
    re.IGNORECASE,
)
_THIRD_PERSON = {"do not": "does not", "don't": "doesn't", "don’t": "doesn’t", "dont": "doesn't", "do": "does"}

# ── facts ──

_REMEMBER = re.compile(
    r"(?:^|[，,；;]\s*)(?:好的?[，,]\s*)?(?:请|麻烦|劳烦)?(?:你|您|帮我|给我|替我|务必|一定要|一定|千万|千万要|"
    r"要|好好|先|也|还要|还请|以后)*"
    r"(?:记住|记下来|记下|记一下|记着|牢记|谨记)(?:了|啊|哦|喔|哈|一下|一点|这一?点|这件事|"
    r"这个)?\s*[：:，,、]?\s*(?=[^\s，。,.：:吗呢])"
)
_REMEMBERED = re.compile(
    r"[，,；;]\s*(?:请|麻烦)?(?:你|您|帮我|给我|务必|一定要|要)*(?:记住|记下来|记下|记一下|记好|记着)(?:了|啊|"
    r"哦|喔|哈|一下|吧|这一?点|它)*$"
)
_ENGLISH_REMEMBER = re.compile(
    r"(?:^|[,;]\s*|\b(?:and|so|but)\s+)(?:(?:please|pls|kindly|ok|okay|hey|hi|btw|by the way|also|always|just|"
    r"you should|you must|"
    r"(?:can|could|will|would) you(?: please)?|i(?:'d| would)? (?:want|like|need) you to)[,:]?\s+)*"
    r"(?:remember|keep in mind|bear in mind|don['’]?t forget|do not forget|make a note|"
    r"take note)(?:\s+for (?:later|next time|the future))?"
    r"(?:\s+(?:this|the following))?\s*(?:[:,]|\bthat\b[,:]?)?\s*(?=\S)",
    re.IGNORECASE,
)
_ENGLISH_REMEMBERED = re.compile(
    r"[,;]\s*(?:so\s+)?(?:please\s+)?(?:remember|keep in mind|don['’]?t forget|make a note of)(?:\s+(?:that|"
    r"this|it))?(?:,?\s*please)?$",
    re.IGNORECASE,
)
_NOT_TO_REMEMBER = re.compile(
    r"(?:when\b|how\b|what\b|who\b|where\b|why\b|which\b|the (?:time|day|days) (?:when|we|i|you)|me\b|him\b|"
    r"her\b|them\b|us\b|it\b[.,]?$|this\b[.,]?$|"
    r"that\b[.,]?$|the milk|when|if (?:you|we|i) (?:ever|still))|[了过]?(?:没有?|吗)$|单词|的(?:方法|技巧|"
    r"时候)|不(?:了|住)",
    re.IGNORECASE,
)
_IN_FACT = re.compile(
    r"(?:^|[，,；;]\s*)(?:但是?|不过|可是?)?(?P<lead>(?:事实上|实际上|事实是|实际情况是)[，,：:]?\s*)"
    r"(?!我(?:想|要|问|觉得|认为|只是|不知道|不确定|没)|你|您|请|帮|能|可以|怎|如何|为什么|什么|可能|也许|或许|"
    r"好像|似乎|应该|是不是|有没有)(?=\S{3})"
)
_ENGLISH_FACT = re.compile(
    r"(?:^|[,;]\s*|\b(?:but|and)\s+)(?P<lead>the (?:simple |plain |sad )?fact is(?:,| that,?)?\s+|"
    r"fact\s*:\s*)(?!i (?:think|guess|wonder|don['’]?t know)\b)(?=\S)",
    re.IGNORECASE,
)

# ── decisions ──

_WE = r"(?:我|我们|咱们?|大家|团队|全组|组里|公司|项目组)?"
_DECIDED = re.compile(
    r"(?:^|[，,；;。]\s*)(?:好[的了吧]?[，,]\s*|那么?|所以|最后|最终|经过讨论[，,]?|讨论后[，,]?|今天|昨天|刚才|开会)*"
    + _WE
    + r"(?:已经|最终|最后|还是|都|就|一致|刚刚|刚|今天|终于|现在|暂时|正式|这次)*"
    r"(?:决定(?:了|好了|下来了?)?(?:[，,：:]|(?=用|采用|使用|选|不|改|把|在|由我|先|将|从|去|放弃|推迟|取消|下|"
    r"本|这|周|明|后|年|月|以|让|统一|砍|删|保留|暂|继续|每|全|上|迁|换|买|租|走|只|都|给|和|跟|按))"
    r"|(?:拍板|敲定|定下来|说定|商定)了?[，,：:]?(?=\S)|定了[，,：:])"
)
_NOT_DECIDED = re.compile(
    r"(?:没|没有|未|无法|难以|尚未|不能|来|由你|由他|由用户|你|您|帮我|怎么|如何|谁|取)决定|决定(?:不了|于|性|"
    r"因素|权|树|吗|呢|不下|了[^，,：:。]{0,6}的)|(?:拍板|定)了?吗"
)
_CHOSEN = re.compile(
    r"(?:(?<![早本来原直常经前般要不没上会一才])就|确定|那就|最终|统一|以后都|以后|还是|一律|今后)(?:还是|都|"
    r"统一|先|继续|直接)?用"
    r"(?!户|例|途|法|意|量|词|处|品|料|来|于|不|过|得|到|了|作|着|完|什么|哪|吗|错|的[是话])"
    r"|选定了?\s*(?!的|区|范|框|内|文|行|列|某|一个)(?=\S)|(?<![早本来原直常经前般])就选(?!择|项|中|题|取|"
    r"了吗)(?=\S)|(?<![早本来原])就定(?!义|时|位|制|性|量|期|律|价格?为)(?=\S{2})"
)
_NOT_CHOSEN = re.compile(
    r"时就用|后就用|的话|一[^，,]{1,8}就用|只要|早就|本来就|每次|每当|遇到|万一|怎么|如何|为什么|是不是|能不能|"
    r"可不可以|要不要|用户"
)
_USE_THIS = re.compile(
    r"^(?:好的?[，,]\s*|那|嗯[，,]\s*)?(?:我们|咱们)?(?:就|还是|以后都?)?用这个\S{0,12}(?:吧|了|好了)$"
)
_ENGLISH_DECISION = re.compile(
    r"(?:^|[,;]\s*|\b(?:and|so|but)\s+)(?:(?:ok|okay|so|well|after (?:some|a long|much) (?:discussion|debate|"
    r"thought)|in the end|finally|today|yesterday)[,:]?\s+)*"
    r"(?:(?:(?:our|my|the|team|final|team's)\s+){0,2}decision(?:\s+(?:made|today|is made))?\s*[:：-]\s*(?=\S)"
    r"|(?:the|our|my)\s+(?:(?:final|team's)\s+)?decision\s+(?:is|was)\s+(?:made\s+)?(?:to|that|final:?|not to|"
    r":)\s*(?=\S)"
    r"|it(?:'s|’s| is| has been| was)\s+decided\s*(?:[:,]|that|to)\s*(?=\S)"
    r"|(?:we|i|the team|my team)(?:['’]ve| have|['’]d| had)?(?:\s+(?:all|finally|just|now|already|both|"
    r"definitely|jointly))*\s+"
    r"(?:decided|agreed|settled)\s+(?:to|on|that|against|not to|upon)\s+(?!ask\b|try\b|check\b|see\b|come\b|"
    r"write to you|you\b)(?=\S)"
    r"|(?:we|i)(?:['’]re| are|['’]m| am|['’]ll| will)\s+(?:definitely\s+|now\s+)?(?:going|go|sticking|stick|"
    r"settling|settle)\s+(?:with|on|for)\s+(?!you\b|it\b|this\b|that\b)(?=\S)"
    r"|let['’]?s\s+(?:go|stick|settle)\s+(?:with|on|for)\s+(?!it\b|this\b|that\b|you\b)(?=\S))",
    re.IGNORECASE,
)


def triggers(masked: str) -> list[Trigger]:
    """Those in a sentence, in the order of their places; of two at one place, the one whose rule comes first counts."""
    found = [found for find in (_facts, _preferences, _decisions, entities) for found in find(masked)]
    return sorted(found, key=lambda trigger: trigger.start)


def _preferences(masked: str) -> Iterator[Trigger]:
    for match in _LIKES.finditer(masked):
        rest = match.end()
        if _LIKED.match(masked, rest) and not _NO_LIKING.match(masked, rest):
            yield Trigger("preference", match.start("subject"), match.end("subject"), "用户")
    for match in _ENGLISH_LIKES.finditer(masked):
        if not _NO_ENGLISH_LIKING.match(masked, match.end()) and _says_something(masked, match.end()):
            yield Trigger("preference", match.start("subject"), match.end(), _in_third_person(match))


def _in_third_person(match: re.Match[str]) -> str:
    """“I really don't like ” → “User really doesn't like ”, “I prefer ” → “User prefers ”."""
    how = " ".join(match["how"].split())
    verb = " ".join(match["verb"].split())
    if negation := match["not"]:
        negated = _THIRD_PERSON.get(" ".join(negation.lower().split()), negation)
        verb = f"{negated}{verb[len(negation) :]}"
    elif how.split()[-1:] == ["do"]:
        how = f"{how[:-2]}does"
    else:
        verb = f"{verb}s"
    return " ".join(filter(None, ("User", how, verb))) + " "


def _facts(masked: str) -> list[Trigger]:
    for pattern in (_REMEMBER, _ENGLISH_REMEMBER):
        if (match := pattern.search(masked)) and not _NOT_TO_REMEMBER.match(masked, match.end()):
            return [Trigger("fact", match.start(), match.end())]
    for pattern in (_REMEMBERED, _ENGLISH_REMEMBERED):
        if match := pattern.search(masked):
            return [Trigger("fact", 0, 0)] if match.start() > 3 else []
    return [
        Trigger("fact", match.start(), match.end("lead"))
        for pattern in (_IN_FACT, _ENGLISH_FACT)
        if (match := pattern.search(masked))
    ]


def _decisions(masked: str) -> list[Trigger]:
    if _NOT_DECIDED.search(masked):
        return []
    if match := _DECIDED.search(masked):
        start = match.start() + len(match[0]) - len(match[0].lstrip("，,；;。 "))
        return [Trigger("decision", start, start)]
    if (_CHOSEN.search(masked) and not _NOT_CHOSEN.search(masked)) or _USE_THIS.search(masked):
        return [Trigger("decision", 0, 0)]
    if match := _ENGLISH_DECISION.search(masked):
        start = match.start() + len(match[0]) - len(match[0].lstrip(",; "))
        return [Trigger("decision", start, start)]
    return []


def _says_something(masked: str, at: int) -> bool:
    return sum(char.isalpha() for char in masked[at : at + 40]) >= 2
