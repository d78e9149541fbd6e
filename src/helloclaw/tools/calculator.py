"""`calculator`: arithmetic from an expression, by walking its syntax tree.

Nothing is evaluated as code; time and size are bounded.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from helloclaw.tools.base import Tool, ToolError, ToolOutput
from helloclaw.tools.context import ToolContext

Number = int | float

_MAX_CHARS = 1000
_MAX_DEPTH = 60
# Just below the 4,300 digits beyond which Python refuses to print an integer.
_MAX_DIGITS = 4000
_MAX_BITS = int(_MAX_DIGITS * math.log2(10))
_MAX_FACTORIAL = 1400

_SYMBOLS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "π": "pi", "【": "(", "】": ")"})
_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(,\d{3})+(?![\d,])")


class Calculator(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    expression: str


def calculate(expression: str) -> str:
    """The value of `expression` in decimal; integers exact, others to 15 significant digits. Raises `ToolError`."""
    text = normalised(expression)
    if len(text) > _MAX_CHARS:
        raise ToolError(f"the expression has {len(text)} characters, more than {_MAX_CHARS}; split it up")
    try:
        tree = ast.parse(text, mode="eval")
        return _shown(_value(tree.body, 0))
    except SyntaxError as error:
        raise ToolError(f"not an expression: {text!r}, near column {error.offset}") from None
    except (MemoryError, RecursionError):
        raise ToolError("the expression is nested too deeply; split it up") from None
    except ZeroDivisionError:
        raise ToolError("division by zero") from None
    except OverflowError:
        raise ToolError("a value is too large for a decimal fraction; use integers (// instead of /)") from None
    except (ValueError, TypeError) as error:
        raise ToolError(f"no such value: {error}") from None


def normalised(expression: str) -> str:
    """Full-width digits and signs, × ÷ ^ and thousands separators as plain ASCII arithmetic."""
    text = unicodedata.normalize("NFKC", expression.translate(_SYMBOLS)).replace("^", "**").strip().removesuffix("=")
    if re.search(r"[^\W\d_]{2}", text):  # within a function's arguments a comma separates
        return text
    return _THOUSANDS.sub(lambda found: found[0].replace(",", ""), text)


def _value(node: ast.expr, depth: int) -> Number:
    if depth > _MAX_DEPTH:
        raise RecursionError
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _bounded(value)
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign, operand=operand):
            value = _value(operand, depth + 1)
            return -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _bounded(_OPERATORS[type(op)](_value(left, depth + 1), _value(right, depth + 1)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return _bounded(_FUNCTIONS[name](*(_value(argument, depth + 1) for argument in args)))
        case _:
            known = " ".join((*_FUNCTIONS, *_CONSTANTS))
            raise ToolError(f"{ast.unparse(node)[:80]!r} is not arithmetic; there are + - * / // % ** ( ) and {known}")


def _bounded(value: object) -> Number:
    """Raises `ToolError` for what is no real number or would take too long to go on with."""
    if isinstance(value, int):
        if value.bit_length() > _MAX_BITS:
            raise ToolError(f"the result has more than {_MAX_DIGITS} digits")
        return value
    if not isinstance(value, float):  # a negative number to a fractional power is complex
        raise ToolError("the result is not a real number")
    if not math.isfinite(value):
        raise OverflowError
    return value


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1:
        bits = base.bit_length() * abs(exponent)
        if bits > 2 * _MAX_BITS:
            raise ToolError(f"{base} ** {exponent} is too large")
    return base**exponent


def _divide(left: Number, right: Number) -> float:
    return left / right


def _divide_floor(left: Number, right: Number) -> Number:
    return left // right


def _factorial(value: Number) -> int:
    if not isinstance(value, int) or value < 0:
        raise ToolError("factorial needs a whole number from 0")
    if value > _MAX_FACTORIAL:
        raise ToolError(f"factorial of more than {_MAX_FACTORIAL} is too large")
    return math.factorial(value)


def _round(value: Number, digits: Number = 0) -> Number:
    if not isinstance(digits, int) or abs(digits) > 100:
        raise ToolError("round needs a whole number of digits, at most 100")
    return round(value, digits) if digits else round(value)


def _sqrt(value: Number) -> Number:
    """Exact for squares, however large."""
    if isinstance(value, int) and value >= 0:
        root = math.isqrt(value)
        if root * root == value:
            return root
    return math.sqrt(value)


def _ln(value: Number) -> float:
    return math.log(value)


def _extreme(pick: Callable[[Sequence[Number]], Number]) -> Callable[..., Number]:
    return lambda *values: pick(values)


_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = MappingProxyType[Any, Any](
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: _divide,
        ast.FloorDiv: _divide_floor,
        ast.Mod: operator.mod,
        ast.Pow: _power,
    }
)
_FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType[str, Any](
    {
        "sqrt": _sqrt,
        "sin": math.sin,
        "cos": math.cos,
        "tan": math.tan,
        "log": math.log,
        "ln": _ln,
        "exp": math.exp,
        "abs": abs,
        "round": _round,
        "min": _extreme(min),
        "max": _extreme(max),
        "floor": math.floor,
        "ceil": math.ceil,
        "factorial": _factorial,
    }
)
_CONSTANTS: Mapping[str, float] = MappingProxyType({"pi": math.pi, "e": math.e})


def _shown(value: Number) -> str:
    if isinstance(value, int):
        return str(value)
    return format(value, ".15g")


async def run(call: Calculator, _: ToolContext) -> ToolOutput:
    return ToolOutput(text=calculate(call.expression))


calculator = Tool("calculator", Calculator, run, read_only=True, parallel_safe=True)
