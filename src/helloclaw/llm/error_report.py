"""Read the error answers of all providers into one shape. What they mean is in `failure_signs`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, cast

from msgspec import Struct

_TRY_AGAIN = re.compile(r"try again in ([\d.]+) ?(ms|s|m)\b")


class ErrorReport(Struct, frozen=True, kw_only=True):
    """An error answer, whatever shape it came in. `code` and `text` are in lower case; `text` holds all of it."""

    status: int | None
    code: str
    message: str
    text: str
    retry_after: float | None = None


def error_in(body: Any) -> Any | None:
    """The error object of a JSON answer, or None if the answer is none.

    Besides `{"error": …}`: MiniMax's `base_resp`, and the bare `{"code": …, "message"|"msg": …}` of GLM and DashScope.
    """
    if isinstance(body, list) and body:  # Gemini puts its error into a list
        body = cast("list[Any]", body)[0]
    if not isinstance(body, dict):
        return None
    answer = cast("dict[str, Any]", body)
    if answer.get("error"):
        return answer["error"]
    if answer.get("type") == "error" or answer.get("object") == "error":
        return answer
    base = answer.get("base_resp")
    if isinstance(base, dict) and (code := cast("dict[str, Any]", base).get("status_code")):
        return {"code": code, "message": cast("dict[str, Any]", base).get("status_msg")}
    bare = "code" in answer and ("message" in answer or "msg" in answer)
    return answer if bare and not ("choices" in answer or "content" in answer) else None


def retry_after_of(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait, from `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (RFC 9110, 10.2.3)."""
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        return max(parsedate_to_datetime(value).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None


def read_report(error: Any, status: int | None, retry_after: float | None) -> ErrorReport:
    """Read an error object, bare or inside its answer, or an error that is plain text."""
    found = error_in(error)
    value = error if found is None else found
    if not isinstance(value, dict):
        said = value if isinstance(value, str) else ("" if value is None else str(value))
        return ErrorReport(status=status, code="", message=said, text=said.lower(), retry_after=retry_after)
    fields = cast("dict[str, Any]", value)
    nested = error_in(fields)
    if isinstance(nested, dict) and nested is not fields:
        return read_report(cast("Any", nested), status, retry_after)
    said = next((str(fields[key]) for key in ("message", "msg", "detail", "error") if fields.get(key)), "")
    raw = _raw_of(fields)
    code = str(fields.get("code") or fields.get("type") or "").lower()
    text = " ".join([code, str(fields.get("type") or ""), str(fields.get("status") or ""), said, raw]).lower()
    if status is None and code.isdecimal() and 400 <= int(code) <= 599:  # OpenRouter's code is an HTTP status
        status = int(code)
    if retry_after is None:
        retry_after = _delay_in(fields, text)
    message = f"{said} ({raw})" if raw else said
    return ErrorReport(
        status=status, code=_best_code(fields, code), message=message, text=text, retry_after=retry_after
    )


def _best_code(fields: dict[str, Any], code: str) -> str:
    """The code if it says more than the HTTP status does, else the type or Gemini's `status`."""
    generic = code in ("", "invalid_request_error", "invalid_parameter_error") or (code.isdecimal() and len(code) == 3)
    return str(fields.get("type") or fields.get("status") or code).lower() if generic else code


def _raw_of(fields: dict[str, Any]) -> str:
    """OpenRouter passes on what the provider behind it said as `metadata.raw`."""
    metadata = fields.get("metadata")
    raw = cast("dict[str, Any]", metadata).get("raw") if isinstance(metadata, dict) else None
    return raw if isinstance(raw, str) else ""


def _delay_in(fields: dict[str, Any], text: str) -> float | None:
    """Seconds to wait, from Gemini's `RetryInfo` or OpenAI's "try again in 1.2s"."""
    details = fields.get("details")
    for detail in cast("list[Any]", details) if isinstance(details, list) else []:
        delay = cast("dict[str, Any]", detail).get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and (seconds := _number(delay.removesuffix("s"))) is not None:
            return seconds
    if (match := _TRY_AGAIN.search(text)) and (amount := _number(match[1])) is not None:
        return amount * {"ms": 0.001, "s": 1.0, "m": 60.0}[match[2]]
    return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
