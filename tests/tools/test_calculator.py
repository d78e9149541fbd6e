"""Arithmetic: exact, bounded, and nothing but arithmetic."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.tools.base import ToolError
from helloclaw.tools.calculator import calculate
from tests.tools.conftest import Bench


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", "7"),
        ("2 ** 100", "1267650600228229401496703205376"),
        ("2^10", "1024"),
        ("0.1 + 0.2", "0.3"),
        ("7 // 2", "3"),
        ("-7 % 3", "2"),
        ("10 / 4", "2.5"),
        ("sqrt(16)", "4"),
        ("sqrt(2)", "1.4142135623731"),
        ("sqrt(10 ** 40)", "1" + "0" * 20),
        ("ln(e) + log(8, 2) + exp(0)", "5"),
        ("round(2.675, 1)", "2.7"),
        ("max(1, 2, 3) - min(4, 5)", "-1"),
        ("floor(2.7) + ceil(2.1) + abs(-3)", "8"),
        ("factorial(20)", "2432902008176640000"),
        ("sin(pi / 2) + cos(0) + tan(0)", "2"),
        ("（1,234 × 2） ÷ 4", "617"),
        ("１２＋３４＝", "46"),
        ("max(1,234)", "234"),
        ("1e3", "1000"),
        ("(-1) ** 1000001", "-1"),
    ],
)
def test_values(expression: str, value: str) -> None:
    assert calculate(expression) == value


numbers = st.integers(-(10**12), 10**12)
expressions = st.recursive(
    numbers.map(lambda n: f"({n})"),
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda parts: f"({' '.join(parts)})"),
    max_leaves=12,
)


@given(expressions)
def test_integers_are_exact(expression: str) -> None:
    assert calculate(expression) == str(eval(expression))


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("9 ** 9 ** 9 ** 9", "too large"),
        ("10 ** 100000", "too large"),
        ("factorial(100000)", "too large"),
        ("factorial(1.5)", "whole number"),
        ("*".join(["(9 ** 1000)"] * 10), "more than 4000 digits"),
        ("(" * 90 + "1" + ")" * 90 + "+" + "-" * 200 + "1", "nested|not an expression"),
        ("1 + " * 300, "characters|not an expression"),
        ("-" * 900 + "1", "nested too deeply"),
        ("(" * 500, "not an expression"),
        ("1 / 0", "division by zero"),
        ("1e308 * 10", "too large"),
        ("10 ** 400 / 3", "too large"),
        ("(-8) ** 0.5", "not a real number"),
        ("sqrt(-1)", "no such value"),
        ("sqrt()", "no such value"),
        ("round(1, 10 ** 9)", "at most 100"),
        ("__import__('os')", "is not arithmetic"),
        ("(1).__class__", "is not arithmetic"),
        ("[1][0]", "is not arithmetic"),
        ("1 < 2", "is not arithmetic"),
        ("True", "is not arithmetic"),
        ("'a' * 10", "is not arithmetic"),
        ("1j", "is not arithmetic"),
        ("lambda: 1", "is not arithmetic"),
        ("sum(1)", "is not arithmetic"),
        ("x := 1", "not an expression"),
        ("1\0", "not an expression|no such value"),
        ("", "not an expression"),
    ],
)
def test_what_is_refused_is_refused_quickly(expression: str, reason: str) -> None:
    began = time.perf_counter()
    with pytest.raises(ToolError, match=reason):
        calculate(expression)
    assert time.perf_counter() - began < 0.5


@given(st.text(st.sampled_from("0123456789.+-*/%^()eπ,× sqrtlnmax９（"), max_size=40))
def test_anything_gives_a_number_or_a_reason(expression: str) -> None:
    with contextlib.suppress(ToolError):
        float(calculate(expression))


async def test_as_a_tool(bench: Bench) -> None:
    assert await bench.text("calculator", expression="6 * 7") == "42"
