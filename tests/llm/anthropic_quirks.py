"""Recorded exchanges of the Messages API, one for every quirk, written from the vendors' references and users' reports.

Data only: what the server says and what the answer amounts to. `test_wire_anthropic` plays them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from helloclaw.llm.events import FailureKind, StopReason, Usage
from helloclaw.llm.messages import (
    Block,
    MalformedCall,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResult,
    ToolSpec,
    user_text,
)
from tests.support.model_answers import anthropic_events, anthropic_stream

TOOLS = (
    ToolSpec(
        name="read_file",
        description="Read a file.",
        input_schema={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    ),
    ToolSpec(name="list_files", description="List files.", input_schema={"type": "object", "properties": {}}),
)
HISTORY = (
    user_text("read both"),
    Message(role="assistant", content=(ToolCall(id="toolu_1", name="read_file", input={"path": "z"}),)),
    Message(role="user", content=(ToolResult(tool_use_id="toolu_1", text="zz"),)),
)
SOME = Usage(input=12, output=7)
LIMIT = 8000


@dataclass(frozen=True, kw_only=True)
class Quirk:
    """What a server says and what it means. `judged`: the vendor's own client can read it too, and must agree."""

    id: str
    said: bytes
    means: tuple[Block, ...] = ()
    stop: StopReason | None = "end_turn"
    usage: Usage = SOME
    failed: FailureKind | None = None
    retryable: bool = True
    judged: bool = False
    provider: str = "anthropic"
    messages: tuple[Message, ...] = field(default=(user_text("read both"),))


def start(**usage: int) -> dict[str, Any]:
    counts = usage or {"input_tokens": 12, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "usage": counts,
    }
    return {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None}}


def block(index: int, opening: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": opening},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(index: int, *pieces: str) -> list[dict[str, Any]]:
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def tool(index: int, *pieces: Any, id_: str = "toolu_9", name: str = "read_file") -> list[dict[str, Any]]:
    opening: dict[str, Any] = {"type": "tool_use", "id": id_, "name": name, "input": {}}
    return block(index, opening, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


def stop(reason: str | None, **usage: int) -> list[dict[str, Any]]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": usage or {"output_tokens": 7}},
        {"type": "message_stop"},
    ]


def call(**input_: Any) -> ToolCall:
    return ToolCall(id="toolu_9", name="read_file", input=input_)


def said(*parts: dict[str, Any] | list[dict[str, Any]]) -> bytes:
    return anthropic_events(event for part in parts for event in (part if isinstance(part, list) else [part]))


def arguments(id_: str, means: Block, *pieces: Any, stop_reason: str = "tool_use") -> Quirk:
    reason: StopReason = "max_tokens" if stop_reason == "max_tokens" else "tool_use"
    return Quirk(id=id_, said=said(start(), tool(0, *pieces), stop(stop_reason)), means=(means,), stop=reason)


def malformed(raw: str, error: str) -> MalformedCall:
    return MalformedCall(id="toolu_9", name="read_file", raw=raw, error=error)


CUT = (
    f"The answer reached its limit of {LIMIT} tokens inside this call, so the call is incomplete."
    " Do it in smaller steps."
)
DSML = (
    '<｜DSML｜function_calls><｜DSML｜invoke name="read_file"><｜DSML｜parameter name="path" string="true">a.txt'
    "</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>"
)

WELL_FORMED = [
    Quirk(
        id="everything-at-once",
        said=anthropic_stream(
            "Grüße, 世界 😀",
            thinking=("let me see", "c2ln"),
            tools=[("toolu_9", "read_file", {"path": "文件"}), ("toolu_8", "list_files", {})],
            usage=Usage(input=3, output=40, cache_read=100, cache_write=50),
        ),
        means=(
            ThinkingBlock(text="let me see", signature="c2ln"),
            TextBlock(text="Grüße, 世界 😀"),
            ToolCall(id="toolu_9", name="read_file", input={"path": "文件"}),
            ToolCall(id="toolu_8", name="list_files", input={}),
        ),
        stop="tool_use",
        usage=Usage(input=3, output=40, cache_read=100, cache_write=50),
        judged=True,
    ),
    Quirk(
        id="redacted-thinking",
        said=said(start(), block(0, {"type": "redacted_thinking", "data": "ZW5j"}), text(1, "ok"), stop("end_turn")),
        means=(ThinkingBlock(redacted="ZW5j"), TextBlock(text="ok")),
        judged=True,
    ),
    Quirk(
        id="thinking-that-shows-nothing",
        said=said(
            start(),
            block(
                0,
                {"type": "thinking", "thinking": "", "signature": ""},
                {"type": "signature_delta", "signature": "c2ln"},
            ),
            text(1, "ok"),
            stop("end_turn"),
        ),
        means=(ThinkingBlock(signature="c2ln"), TextBlock(text="ok")),
        judged=True,
    ),
    Quirk(
        id="thinking-between-calls",
        said=said(
            start(),
            tool(0, '{"path": "a"}', id_="toolu_1"),
            block(
                1, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "thinking_delta", "thinking": "hm"}
            ),
            tool(2, '{"path": "b"}', id_="toolu_2"),
            stop("tool_use"),
        ),
        means=(
            ToolCall(id="toolu_1", name="read_file", input={"path": "a"}),
            ThinkingBlock(text="hm"),
            ToolCall(id="toolu_2", name="read_file", input={"path": "b"}),
        ),
        stop="tool_use",
    ),
    Quirk(
        id="two-texts",
        said=said(start(), text(0, "a", "b"), text(1, "c"), stop("end_turn")),
        means=(TextBlock(text="ab"), TextBlock(text="c")),
        judged=True,
    ),
    Quirk(id="nothing", said=said(start(), stop("end_turn")), judged=True),
    Quirk(
        id="stop-sequence",
        said=said(start(), text(0, "a"), stop("stop_sequence")),
        means=(TextBlock(text="a"),),
        stop="stop_sequence",
        judged=True,
    ),
    Quirk(
        id="pause",
        said=said(start(), text(0, "a"), stop("pause_turn")),
        means=(TextBlock(text="a"),),
        stop="pause_turn",
        judged=True,
    ),
    Quirk(
        id="refusal",
        said=said(start(), text(0, "a"), stop("refusal")),
        means=(TextBlock(text="a"),),
        stop="refusal",
        judged=True,
    ),
    Quirk(
        id="limit",
        said=said(start(), text(0, "a"), stop("max_tokens")),
        means=(TextBlock(text="a"),),
        stop="max_tokens",
        judged=True,
    ),
    Quirk(
        id="window-full",
        said=said(start(), text(0, "a"), stop("model_context_window_exceeded")),
        means=(TextBlock(text="a"),),
        stop="max_tokens",
    ),
    Quirk(
        id="reasoning-is-counted",
        said=said(
            start(),
            text(0, "a"),
            [
                {
                    "type": "message_delta",
                    "delta": {"stop_reason": "end_turn"},
                    "usage": {"output_tokens": 30, "output_tokens_details": {"thinking_tokens": 20}},
                },
                {"type": "message_stop"},
            ],
        ),
        means=(TextBlock(text="a"),),
        usage=Usage(input=12, output=30, reasoning=20),
    ),
]

ARGUMENTS = [
    arguments("no-arguments", call()),
    arguments("empty-arguments", call(), "", ""),
    arguments("arguments-in-one-piece", call(path="a"), '{"path": "a"}'),
    arguments("arguments-that-are-an-object", call(path="a"), {"path": "a"}),
    arguments("arguments-with-halves", call(path="😀"), '{"path": "\ud83d', '\ude00"}'),
    arguments("an-array", malformed("[1]", "The arguments must be a JSON object, not an array."), "[1]"),
    arguments(
        "a-raw-newline",
        malformed(
            '{"path": "a\nb"}',
            "The arguments are not valid JSON: control character (\\u0000-\\u001F) found while parsing a string"
            ' at line 2 column 0, near "{\\"path\\": \\"a\\nb\\"}".'
            " Inside a string write a newline as \\n and a tab as \\t.",
        ),
        '{"path": "a\nb"}',
    ),
    arguments(
        "a-lone-half",
        malformed(
            '{"path": "\ufffd"}',
            "The arguments hold half of a UTF-16 pair (a lone surrogate); write the whole character.",
        ),
        '{"path": "\ud83d"}',
    ),
    arguments("cut-off-in-a-call", malformed('{"path": "a', CUT), '{"path": "a', stop_reason="max_tokens"),
    arguments("cut-off-before-any-argument", malformed("", CUT), stop_reason="max_tokens"),
    arguments("cut-off-after-a-whole-call", call(path="a"), '{"path": "a"}', stop_reason="max_tokens"),
]

GATEWAYS = [
    Quirk(
        id="glm-counts-at-the-end",
        provider="zhipu",
        said=said(
            start(input_tokens=0, output_tokens=0),
            text(0, "ok"),
            stop("end_turn", input_tokens=31, output_tokens=4, cache_read_input_tokens=9),
        ),
        means=(TextBlock(text="ok"),),
        usage=Usage(input=31, output=4, cache_read=9),
    ),
    Quirk(
        id="minimax-signs",
        provider="minimax",
        said=anthropic_stream("ok", thinking=("hm", "bWluaW1heA==")),
        means=(ThinkingBlock(text="hm", signature="bWluaW1heA=="), TextBlock(text="ok")),
        judged=True,
    ),
    Quirk(
        id="deepseek-leaks-a-call",
        provider="deepseek",
        said=said(
            start(), text(0, "I look.\n\n", *[DSML[i : i + 5] for i in range(0, len(DSML), 5)]), stop("end_turn")
        ),
        means=(TextBlock(text="I look.\n\n"), ToolCall(id="*", name="read_file", input={"path": "a.txt"})),
        stop="tool_use",
    ),
    Quirk(
        id="deepseek-leaks-half-a-call",
        provider="deepseek",
        said=said(start(), text(0, "I look.\n\n", DSML[:60]), stop("end_turn")),
        failed="protocol",
    ),
    Quirk(
        id="input-with-the-opening",
        said=said(
            start(),
            block(0, {"type": "tool_use", "id": "toolu_9", "name": "read_file", "input": {"path": "a"}}),
            stop("tool_use"),
        ),
        means=(call(path="a"),),
        stop="tool_use",
        judged=True,
    ),
    Quirk(
        id="calls-but-says-end",
        said=said(start(), tool(0, '{"path": "a"}'), stop("end_turn")),
        means=(call(path="a"),),
        stop="tool_use",
    ),
    Quirk(
        id="says-tool-use-but-does-not-call",
        said=said(start(), text(0, "a"), stop("tool_use")),
        means=(TextBlock(text="a"),),
    ),
    Quirk(
        id="one-id-twice-and-none",
        said=said(
            start(),
            tool(0, '{"path": "a"}'),
            tool(1, '{"path": "b"}'),
            tool(2, '{"path": "c"}', id_=""),
            stop("tool_use"),
        ),
        means=(call(path="a"), *(ToolCall(id="*", name="read_file", input={"path": path}) for path in "bc")),
        stop="tool_use",
    ),
    Quirk(
        id="an-id-of-an-earlier-call",
        said=said(start(), tool(0, '{"path": "a"}', id_="toolu_1"), stop("tool_use")),
        means=(ToolCall(id="*", name="read_file", input={"path": "a"}),),
        stop="tool_use",
        messages=HISTORY,
    ),
    Quirk(
        id="calls-that-overlap",
        said=said(
            start(),
            *(tool(i, id_=f"toolu_{i}")[:1] for i in (0, 1)),
            *(tool(i, piece)[1:2] for piece in ('{"pa', 'th": "x"}') for i in (0, 1)),
            *(tool(i)[-1:] for i in (0, 1)),
            stop("tool_use"),
        ),
        means=tuple(ToolCall(id=f"toolu_{i}", name="read_file", input={"path": "x"}) for i in (0, 1)),
        stop="tool_use",
    ),
    Quirk(
        id="blocks-that-never-stop",
        said=said(start(), text(0, "a")[:-1], tool(1, '{"path": "a"}')[:-1], stop("tool_use")),
        means=(TextBlock(text="a"), call(path="a")),
        stop="tool_use",
    ),
    Quirk(
        id="what-nobody-knows",
        said=said(
            start(),
            {"type": "heartbeat", "at": 1},
            block(
                0,
                {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}},
                {"type": "input_json_delta", "partial_json": "{}"},
            ),
            text(1, "a")[:-1],
            {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": {}}},
            text(1)[-1:],
            {"type": "ping"},
            stop("end_turn"),
        ),
        means=(TextBlock(text="a"),),
    ),
    Quirk(
        id="halves-of-a-character",
        said=said(start(), text(0, "a\ud83d", "\ude00b", "\ud83d"), stop("end_turn")),
        means=(TextBlock(text="a😀b\ufffd"),),
    ),
    Quirk(id="no-message-stop", said=said(start(), text(0, "a"), stop("end_turn")[:1]), means=(TextBlock(text="a"),)),
    Quirk(
        id="done-as-openai-says-it",
        said=said(start(), text(0, "a"), stop("end_turn")[:1]) + b"data: [DONE]\n\n",
        means=(TextBlock(text="a"),),
    ),
    Quirk(
        id="no-reason",
        said=said(start(), text(0, "a"), [{"type": "message_stop"}]),
        means=(TextBlock(text="a"),),
        usage=Usage(input=12, output=1),
    ),
    Quirk(
        id="comments-crlf-and-no-names",
        said=b": PROCESSING\r\n\r\n"
        + b"".join(
            f"data: {json.dumps(event, indent=1)}\n\n".replace("\n ", "\ndata:  ")
            .replace("\n}", "\ndata: }")
            .replace("\n", "\r\n")
            .encode()
            for event in [start(), *text(0, "a"), *stop("end_turn")]
        ),
        means=(TextBlock(text="a"),),
    ),
]

FAILURES = [
    Quirk(
        id="overloaded-mid-stream",
        said=said(
            start(), text(0, "a"), {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        ),
        failed="overloaded",
    ),
    Quirk(
        id="dashscope-error-event",
        provider="dashscope",
        said=b'event:error\ndata:{"code":"InvalidParameter","message":"thinking: Only \'enabled\' is supported"}\n\n',
        failed="thinking_refused",
        retryable=False,
    ),
    Quirk(id="error-event-of-plain-text", said=b"event: error\ndata: upstream is gone\n\n", failed="server"),
    Quirk(id="ends-in-the-middle", said=said(start(), text(0, "a")), failed="interrupted"),
    Quirk(id="ends-in-an-event", said=said(start(), text(0, "a"))[:-20], failed="interrupted"),
    Quirk(id="ends-in-a-call", said=said(start(), tool(0, '{"path": "a"}')), failed="interrupted"),
    Quirk(id="not-json", said=b"data: nonsense\n\n", failed="protocol", retryable=False),
    Quirk(id="not-events", said=b"hello, this is a web server\n", failed="protocol", retryable=False),
    Quirk(id="nothing-at-all", said=b"", failed="interrupted"),
]

QUIRKS = WELL_FORMED + ARGUMENTS + GATEWAYS + FAILURES
