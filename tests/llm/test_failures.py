from __future__ import annotations

import json
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from helloclaw.llm.events import Failed
from helloclaw.llm.failures import RETRYABLE, failure_from_error, failure_from_response
from helloclaw.llm.profile import Profile
from helloclaw.llm.wire import Endpoint

PROFILE = Profile(name="deepseek", key_vars=("DEEPSEEK_API_KEY",))
KEY = "sk-0123456789abcdef"


def endpoint(**changes: Any) -> Endpoint:
    given: dict[str, Any] = {
        "profile": PROFILE,
        "wire": "openai",
        "base_url": "https://api.deepseek.com",
        "model": "m",
        "api_key": KEY,
    }
    return Endpoint(**given | changes)


@dataclass(frozen=True, kw_only=True)
class Case:
    id: str
    status: int | None
    body: Any
    kind: str
    model: str = "some-model"
    retry_after: float | None = None
    retryable: bool | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])


def corpus() -> list[Case]:
    path = Path(__file__).parent / "corpus" / "failures.jsonl"
    return [Case(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", corpus(), ids=attrgetter("id"))
def test_what_providers_really_say_is_understood(case: Case) -> None:
    at = endpoint(model=case.model)
    if case.status is None:
        failure = failure_from_error(case.body, at)
    else:
        body = case.body if isinstance(case.body, str) else json.dumps(case.body)
        failure = failure_from_response(case.status, {}, body.encode(), at)
    retryable = case.kind in RETRYABLE if case.retryable is None else case.retryable
    assert (failure.kind, failure.retryable, failure.retry_after) == (case.kind, retryable, case.retry_after)
    assert failure.message
    assert failure.hint


@pytest.mark.parametrize("status", [400, 401, 403, 404])
@pytest.mark.parametrize("said", ["", "Overloaded", "rate limit", "<html>", "internal server error"])
def test_these_statuses_are_never_retried(status: int, said: str) -> None:
    assert not failure_from_response(status, {"retry-after": "1"}, said.encode(), endpoint()).retryable


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529, 599])
@pytest.mark.parametrize("said", ["", "no words", "<html>", '{"error": null}'])
def test_these_statuses_are_retried(status: int, said: str) -> None:
    assert failure_from_response(status, {}, said.encode(), endpoint()).retryable


NOON = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:30 GMT"}, 30.0),
        ({"retry-after": "Fri, 15 Jan 2027 07:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert failure_from_response(429, headers, b"{}", endpoint(), now=NOON).retry_after == seconds


def test_a_quota_that_is_a_rate_is_a_flag_of_the_profile() -> None:
    body = b'{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}'
    dashscope = endpoint(profile=Profile(name="dashscope", quota_means_rate=True))
    assert failure_from_response(429, {}, body, dashscope).kind == "rate_limit"
    assert failure_from_response(429, {}, body, endpoint()).kind == "quota"


def test_a_person_is_told_what_where_and_what_next() -> None:
    said = b'{"error": {"message": "Authentication Fails", "type": "authentication_error"}}'
    assert failure_from_response(401, {}, said, endpoint()) == snapshot(
        Failed(
            kind="auth",
            message="deepseek at api.deepseek.com refused the API key (HTTP 401): Authentication Fails",
            hint="Check DEEPSEEK_API_KEY and that the key belongs to https://api.deepseek.com.",
            detail="deepseek/m · api.deepseek.com · HTTP 401 · Authentication Fails",
            status=401,
        )
    )
    assert failure_from_response(401, {}, b"", endpoint(api_key="")).message == snapshot(
        "deepseek at api.deepseek.com wants an API key and none is set (HTTP 401)"
    )
    assert failure_from_response(200, {}, b" <html>", endpoint()) == snapshot(
        Failed(
            kind="not_an_api",
            message="https://api.deepseek.com answered with a web page (HTTP 200), not as a model's API does",
            hint="A proxy or a login page is in the way, or the base URL is wrong.",
            detail="https://api.deepseek.com · HTTP 200",
            status=200,
        )
    )
    assert failure_from_response(308, {"location": "https://elsewhere.example/v1"}, b"", endpoint()) == snapshot(
        Failed(
            kind="not_an_api",
            message="https://api.deepseek.com redirects (HTTP 308) to https://elsewhere.example/v1",
            hint="Redirects are not followed with an API key. If you trust that address, set it as the base URL.",
            detail="https://api.deepseek.com · HTTP 308 · https://elsewhere.example/v1",
            status=308,
        )
    )


def test_a_proxy_that_wants_a_login() -> None:
    failure = failure_from_response(407, {}, b"<html>", endpoint())
    assert (failure.kind, failure.retryable) == ("connect", False)
    assert "HTTPS_PROXY" in failure.hint


def test_a_server_without_tool_calling_says_how_to_get_it() -> None:
    said = b'{"error": {"message": "tools param requires --jinja flag"}}'
    assert failure_from_response(500, {}, said, endpoint()).hint == snapshot(
        "This model can't call tools here. Choose another model, or start the server with tool calling on."
    )


@pytest.mark.parametrize(
    "said",
    [
        f"Incorrect API key provided: {KEY}",
        "Incorrect API key provided: sk-another-key-99999",
        "Bearer abcdefghijkl is wrong",
        "see https://user:secret-99999@proxy.example/",
    ],
)
def test_no_key_is_ever_shown(said: str) -> None:
    failure = failure_from_response(401, {}, json.dumps({"error": said}).encode(), endpoint())
    shown = failure.message + failure.hint + failure.detail
    assert not any(secret in shown for secret in (KEY, "99999", "abcdefghijkl"))
    assert "…" in shown


def test_a_key_in_the_base_url_is_not_shown_either() -> None:
    for base_url in ("https://user:hunter2@host.example/v1", "https://host.example/v1?key=hunter2"):
        failure = failure_from_response(404, {}, b"", endpoint(base_url=base_url))
        assert "hunter2" not in failure.message + failure.hint


def test_a_providers_words_can_not_draw_on_the_screen_or_fill_it() -> None:
    failure = failure_from_response(
        400, {}, json.dumps({"error": "\x1b[2J\r\n\u202e" + "x" * 9999}).encode(), endpoint()
    )
    assert failure.message == "deepseek at api.deepseek.com refused the request (HTTP 400): [2J " + "x" * 295 + "…"
