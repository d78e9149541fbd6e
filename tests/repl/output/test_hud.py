"""The row under the input line: what it says, what it leaves out first, and that it never is too wide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.i18n import texts
from helloclaw.llm.events import Usage
from helloclaw.protocol.events import Mode, UsageEvent
from helloclaw.repl.output.hud import hud
from helloclaw.repl.output.rows import columns

USAGE = UsageEvent(
    last=Usage(input=300, output=87, cache_read=12),
    total=Usage(input=4500, output=1203, cache_read=12),
    context_tokens=12_000,
    token_threshold=100_000,
    ctx_percent=12.0,
    cost_usd=0.0123,
)


def shown(width: int, model: str = "deepseek-v4-flash", mode: Mode = "default", *, ascii_only: bool = False) -> str:
    return "".join(part[1] for part in hud(USAGE, model, mode, width, texts("en"), ascii_only=ascii_only))


def test_what_matters_least_is_left_out_first() -> None:
    bar = "ctx █░░░░░░░░░ 12%"
    whole = (
        f"{bar} · in 4,512 out 1,203 · total 5,715/100,000 · Δin 312 Δout 87 · $0.0123 · deepseek-v4-flash · default"
    )
    assert {width: shown(width) for width in (200, 110, 95, 80, 60, 40, 20, 10, 4)} == {
        200: whole,
        110: whole.replace(" · Δin 312 Δout 87", ""),
        95: f"{bar} · in 4,512 out 1,203 · total 5,715/100,000 · deepseek-v4-flash · default",
        80: f"{bar} · in 4,512 out 1,203 · deepseek-v4-flash · default",
        60: f"{bar} · deepseek-v4-flash · default",
        40: f"{bar} · default",
        20: "ctx 12% · default",
        10: "default",
        4: "def…",
    }


def test_ascii() -> None:
    assert shown(200, "m", "plan", ascii_only=True) == (
        "ctx #......... 12% - in 4,512 out 1,203 - total 5,715/100,000 - +in 312 +out 87 - $0.0123 - m - plan"
    )


@pytest.mark.parametrize(("percent", "level"), [(0, "low"), (49.9, "low"), (50, "middle"), (80, "high"), (130, "high")])
def test_the_bar_says_by_its_colour_how_full_the_context_is(percent: float, level: str) -> None:
    usage = UsageEvent(
        last=Usage(), total=Usage(), context_tokens=0, token_threshold=100, ctx_percent=percent, cost_usd=None
    )
    full = min(10, round(percent / 10))
    assert hud(usage, "m", "auto", 40, texts("en"))[:3] == [
        ("class:hud", "ctx "),
        (f"class:hud.{level}", "█" * full + "░" * (10 - full)),
        ("class:hud", f" {percent:.0f}%"),
    ]


def test_before_the_first_call_there_are_model_and_mode() -> None:
    assert hud(None, "m", "plan", 40, texts("zh")) == [
        ("class:hud", "m"),
        ("class:hud", " · "),
        ("class:mode.plan", "plan"),
    ]


@given(
    st.integers(1, 150), st.text(max_size=50), st.integers(0, 10**12), st.floats(0, 1e6), st.sampled_from(["en", "zh"])
)
def test_never_wider_than_the_terminal(width: int, model: str, tokens: int, percent: float, lang: str) -> None:
    usage = UsageEvent(
        last=Usage(input=tokens),
        total=Usage(input=tokens, output=tokens),
        context_tokens=tokens,
        token_threshold=tokens,
        ctx_percent=percent,
        cost_usd=percent,
    )
    say = texts("zh" if lang == "zh" else "en")
    row = "".join(part[1] for part in hud(usage, model, "default", width, say))
    assert columns(row) <= width
    assert "\n" not in row
    if width >= 40 and percent < 1000:
        assert f"{percent:.0f}%" in row
        assert "default" in row
