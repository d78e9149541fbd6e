"""Whether a message could hold anything to remember, judged in microseconds: most need no rules to be loaded. Pure."""

from __future__ import annotations

_CHINESE = """
我 本人 咱 记住 记下 记一下 记着 记好
牢记 谨记 事实 实际 决定 拍板 敲定 定下来 说定 商定 定了 就用 用这个 选定 确定 就选
就定 统一 以后 还是 一律 今后 最终 团队 大家
"""
_ENGLISH = """
remember mind forget note fact prefer like love hate enjoy stand adore detest despise loathe care want decision decided
agreed settle going stick my call let’s let's
"""
_WORDS = (*_CHINESE.split(), *_ENGLISH.split())


def may_hold(message: str) -> bool:
    """False only if no rule of `capture` could find anything in it."""
    folded = message.casefold()
    return any(word in folded for word in _WORDS)
