"""What a message leaves behind: notes, found by rules in what the person wrote. Pure, and linear in its length.

The rules are in `triggers`, what counts as the person's own prose in `sentences`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from helloclaw.memory.note import Category, one_line
from helloclaw.memory.secrets import has_secret
from helloclaw.memory.sentences import Sentence, sentences
from helloclaw.memory.triggers import Trigger, triggers

MOST_NOTES = 10
"""Of one message. Who says more is pasting."""
LONGEST_CHARS = 300

# Then the message is about a text, and what it says is that text's.
_ABOUT_A_TEXT = re.compile(
    r"翻译|译成|译为|润色|改写|校对|造句|语法|仿写|续写|扮演|写一[个篇首段封句]|台词|歌词|这句话|这段话|这篇|文案|"
    r"\b(?:translat\w*|proofread\w*|paraphras\w*|rephras\w*|rewrite|grammar|grammatical|lyrics|role-?play|"
    r"pretend|in the style of|"
    r"write (?:me )?(?:a|an|the|some) (?:story|poem|song|essay|email|letter|speech|tweet|post|scene|dialog\w*)|"
    r"the sentence|this sentence)\b",
    re.IGNORECASE,
)
_IMAGINED = re.compile(
    r"如果|假如|假设|要是|倘若|若是|万一|除非|的话|比如|例如|譬如|想象|也许|可能|或许|好像|据说|听说|"
    r"\b(?:if|unless|suppose|supposing|assuming|imagine|imagining|hypothetically|for example|for instance|"
    r"maybe|perhaps|e\.g|whether|would|wish)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:吗|么|呢)$|什么|怎么|怎样|为什么|为何|如何|哪[个些里儿种]|谁|多少|是否|是不是|有没有|要不要|能不能|"
    r"可不可以|好不好|对不对|"
    r"^(?:do|does|did|can|could|would|should|shall|will|is|are|was|were|what|why|how|who|when|where|which|may|"
    r"might|have|has)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"[，,]\s*(?:好吗|好吧|可以吗|行吗|对吧|ok|okay|right|知道了?吗|记住了?吗|明白了?吗|好不好|alright|got it|"
    r"please)\s*$",
    re.IGNORECASE,
)
# A request that follows what is worth keeping.
_REQUEST = re.compile(
    r"[，,；;]\s*(?:所以|那么?|然后)?(?:请你?|麻烦你?|帮我|给我|能不能|可以帮|你(?:帮|能|可以|来)|现在帮)|"
    r"[,;]\s*(?:so\s+|and\s+)?(?:please|can you|could you|would you|will you|help me|let's)\b|\s+so (?:please|"
    r"can you|could you)\b",
    re.IGNORECASE,
)
_SO_REMEMBER = re.compile(
    r"[，,；;]\s*(?:请|麻烦)?(?:你|帮我|给我|务必|一定要|要)*(?:记住|记下来|记下|记一下|记好)(?:了|啊|哦|一下|吧|"
    r"这一?点|它)*\s*$"
)
_TRIMMED = " \t，,；;：:、。.！!"


class Captured(Struct, frozen=True, kw_only=True):
    category: Category
    text: str


def capture(message: str) -> tuple[Captured, ...]:
    """What of `message`, which the person wrote, is worth keeping, each once, in order."""
    if _ABOUT_A_TEXT.search(message[:4_000]):
        return ()
    found: dict[str, Captured] = {}
    for sentence in sentences(message):
        for captured in _in_sentence(sentence):
            found.setdefault(captured.text.casefold(), captured)
            if len(found) == MOST_NOTES:
                return tuple(found.values())
    return tuple(found.values())


def _in_sentence(sentence: Sentence) -> Iterator[Captured]:
    masked, asked = sentence.masked, sentence.end in "?？" and sentence.end != ""
    if tag := _TAG.search(masked):
        masked, asked = masked[: tag.start()], False
    found = _apart([each for each in triggers(masked) if _is_meant(each, masked, asked)])
    if not found or has_secret(sentence.text):
        return
    ends = [each.start for each in found[1:]] + [len(masked)]
    for trigger, end in zip(found, ends, strict=True):
        if request := _REQUEST.search(masked, trigger.rest + 2, end):
            end = request.start()
        text = _text(sentence.text, trigger, end)
        if text and len(text) <= LONGEST_CHARS:
            yield Captured(category=trigger.category, text=text)


def _is_meant(trigger: Trigger, masked: str, asked: bool) -> bool:
    """Whether it is said, rather than asked or imagined. What is explicitly to be remembered may hold a condition."""
    clause = masked[trigger.start :]
    if trigger.category == "fact":
        return not (asked and not _is_polite_request(masked)) and not re.search(r"(?:吗|呢)$", clause)
    before = re.split(r"[，,；;]", masked[: trigger.start])[-2:]
    return not (
        asked
        or _QUESTION.search(clause)
        or _IMAGINED.search(clause)
        or any(map(_IMAGINED.search, before))
        or _QUESTION.match(masked)
    )


def _is_polite_request(masked: str) -> bool:
    return re.match(r"(?:hey,? |hi,? )?(?:can|could|will|would) you\b", masked, re.IGNORECASE) is not None or bool(
        re.match(r"(?:你)?(?:能|可以)(?:帮我)?记住", masked)
    )


def _apart(found: list[Trigger]) -> list[Trigger]:
    """One trigger for each place; one that takes the whole sentence leaves no other."""
    kept: list[Trigger] = []
    for trigger in found:
        if not kept or trigger.start > max(kept[-1].rest, kept[-1].start + 1):
            if kept and kept[-1].category == "fact" and kept[-1].rest > 0:
                break  # `remember: I like tea, my name is …` is one thing to remember
            kept.append(trigger)
    return kept


def _text(text: str, trigger: Trigger, end: int) -> str:
    kept = _SO_REMEMBER.sub("", text[trigger.rest : end])
    kept = kept.strip(_TRIMMED) if not trigger.said else kept.rstrip(_TRIMMED)
    said = one_line(f"{trigger.said}{kept}")
    return said if sum(char.isalnum() for char in kept) >= 2 else ""
