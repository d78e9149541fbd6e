"""What a model's answer looks like while it arrives: the same events whatever the provider and wire.

A stream ends with exactly one `Finish` or `Failed`, whatever the network does. Nothing is raised.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from helloclaw.llm.messages import AnyCall

StopReason = Literal["end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn", "refusal"]

FailureKind = Literal[
    "connect",  # nothing listening, name not found, connection refused
    "tls",  # the certificate can't be trusted
    "timeout",  # no byte for `timeout_s`
    "rate_limit",
    "overloaded",  # 529, 503, `overloaded_error`
    "server",  # any other >= 500
    "interrupted",  # the stream died before it ended
    "overflow",  # the context window is full
    "auth",  # wrong key, no key
    "quota",  # no credit
    "not_found",  # wrong model or wrong path
    "bad_request",
    "thinking_refused",  # the gateway does not accept the thinking parameters
    "not_an_api",  # HTML or another thing that no model API says
    "protocol",  # JSON, but not the wire's
    "unavailable",  # the embedded model is not installed or can't start
]


class TextStart(Struct, frozen=True):
    pass


class TextDelta(Struct, frozen=True):
    text: str


class TextEnd(Struct, frozen=True, omit_defaults=True):
    """`was_thinking`: a closing `</think>` came with no opening one, so what was streamed as text is a thought."""

    was_thinking: bool = False


class ThinkingStart(Struct, frozen=True):
    pass


class ThinkingDelta(Struct, frozen=True):
    text: str


class ThinkingEnd(Struct, frozen=True, kw_only=True):
    """What can't be shown but must be replayed; see `ThinkingBlock`."""

    signature: str | None = None
    redacted: str | None = None
    details: list[Any] | None = None


class ToolCallStart(Struct, frozen=True):
    id: str
    name: str


class ToolCallDelta(Struct, frozen=True):
    """The next piece of the arguments' JSON text, for the call that started last with this id."""

    id: str
    json: str


class ToolCallEnd(Struct, frozen=True):
    call: AnyCall


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens of one model call, each counted once: `input` leaves out what `cache_read` and `cache_write` count.

    `reasoning` is not one more kind: it says how much of `output` was thinking, where the provider tells.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            reasoning=self.reasoning + other.reasoning,
        )

    @property
    def context(self) -> int:
        """Tokens the next call's prefix will hold: everything read and written by this one."""
        return self.input + self.cache_read + self.cache_write + self.output


class Finish(Struct, frozen=True):
    reason: StopReason


class Failed(Struct, frozen=True, kw_only=True):
    """Why there is no (whole) answer. `message` names the thing, `hint` the next step; both are for a person.

    `detail` is what of `message` is in no language of ours: names, numbers, the server's own words. `code` and
    `values`, where there are any, say `message` and `hint` in the catalogue of texts. `retry_after` is in seconds, from
    the server's `retry-after`. `status` is the HTTP status, if one came.
    """

    kind: FailureKind
    message: str
    hint: str = ""
    detail: str = ""
    code: str = ""
    values: dict[str, str] = {}
    retryable: bool = False
    retry_after: float | None = None
    status: int | None = None


StreamEvent = (
    TextStart
    | TextDelta
    | TextEnd
    | ThinkingStart
    | ThinkingDelta
    | ThinkingEnd
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
    | Usage
    | Finish
    | Failed
)


class Retrying(Struct, frozen=True, kw_only=True):
    """The call is made again after `wait_s` seconds. Everything streamed since the last call began is void."""

    attempt: int
    limit: int
    wait_s: float
    failure: Failed


class Fallback(Struct, frozen=True, kw_only=True):
    """The call goes on with another model, or with the same one without thinking. What was streamed is void."""

    what: Literal["model", "thinking"]
    before: str
    after: str
    failure: Failed


ModelEvent = StreamEvent | Retrying | Fallback
