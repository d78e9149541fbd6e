"""Recorded exchanges of Chat Completions, one for every quirk, written from the vendors' references and users' reports.

Data only: what the server says, to whom, and what the answer amounts to. `test_openai_quirks` plays them.
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
from tests.support.model_answers import openai_chunk, openai_chunks

TOOLS = (
    ToolSpec(
        name="read_file",
        description="Read a file.",
        input_schema={
            "type": "object",
            "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["path"],
        },
    ),
    ToolSpec(name="list_files", description="List files.", input_schema={"type": "object", "properties": {}}),
)
HISTORY = (
    user_text("read both"),
    Message(role="assistant", content=(ToolCall(id="read_file:0", name="read_file", input={"path": "z"}),)),
    Message(role="user", content=(ToolResult(tool_use_id="read_file:0", text="zz"),)),
)


@dataclass(frozen=True, kw_only=True)
class Quirk:
    """What a server says and what it means. `judged`: the vendor's own client can read it too, and must agree."""

    id: str
    model: str
    said: bytes
    means: tuple[Block, ...] = ()
    stop: StopReason | None = "end_turn"
    usage: Usage = field(default_factory=Usage)
    failed: FailureKind | None = None
    retryable: bool = True
    judged: bool = False
    messages: tuple[Message, ...] = (user_text("read both"),)


def say(*deltas: dict[str, Any], finish: str | None = "stop", usage: dict[str, Any] | None = None) -> bytes:
    """A stream of deltas, its finish, perhaps its usage in a choiceless chunk, and `[DONE]`."""
    chunks = [openai_chunk(delta) for delta in deltas]
    if finish:
        chunks.append(openai_chunk({}, finish))
    if usage:
        chunks.append(openai_chunk({}) | {"choices": [], "usage": usage})
    return openai_chunks(chunks)


def text(*pieces: str) -> list[dict[str, Any]]:
    return [{"content": piece} for piece in pieces]


def call(index: int | None, id_: str | None, name: str | None, arguments: Any, **more: Any) -> dict[str, Any]:
    """A delta with one piece of one call."""
    entry = {"index": index, "id": id_, "type": "function", "function": {"name": name, "arguments": arguments}, **more}
    return {"tool_calls": [{key: value for key, value in entry.items() if key != "index" or value is not None}]}


def both(*entries: dict[str, Any]) -> dict[str, Any]:
    """A delta with pieces of several calls."""
    return {"tool_calls": [entry["tool_calls"][0] for entry in entries]}


def read(id_: str, path: str, signature: str | None = None) -> ToolCall:
    return ToolCall(id=id_, name="read_file", input={"path": path}, signature=signature)


A = json.dumps({"path": "a"})
B = json.dumps({"path": "b"})
PLAIN = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}

DSML = """I'll look.

<｜DSML｜function_calls>
<｜DSML｜invoke name="read_file">
<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>
<｜DSML｜parameter name="limit" string="false">3</｜DSML｜parameter>
</｜DSML｜invoke>
<｜DSML｜invoke name="list_files">
</｜DSML｜invoke>
</｜DSML｜function_calls>"""
LEAKED = (
    TextBlock(text="I'll look.\n\n"),
    ToolCall(id="*", name="read_file", input={"path": "a", "limit": 3}),
    ToolCall(id="*", name="list_files", input={}),
)
KIMI = (
    "I'll look.\n\n<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:1<|tool_call_argument_begin|>"
    '{"path": "a", "limit": 3}<|tool_call_end|><|tool_call_begin|>functions.list_files:2<|tool_call_argument_begin|>'
    "{}<|tool_call_end|><|tool_calls_section_end|>"
)
HERMES = """
<tool_call>
{"name": "read_file", "arguments": {"path": "a"}}
</tool_call>
<tool_call>
{"name": "list_files", "arguments": {}}
</tool_call>"""
QWEN3_CODER = """<tool_call>
<function=read_file>
<parameter=path>
a
</parameter>
<parameter=limit>
3
</parameter>
</function>
</tool_call>"""


def leak(id_: str, model: str, markup: str, means: tuple[Block, ...] = LEAKED, **more: Any) -> Quirk:
    """Markup in the content, cut after every third character, and `stop` as if it were an answer."""
    pieces = [markup[i : i + 3] for i in range(0, len(markup), 3)]
    return Quirk(id=id_, model=model, said=say(*text(*pieces)), means=means, stop="tool_use", **more)


DEEPSEEK = (
    Quirk(
        id="deepseek-thinks-then-calls",
        model="deepseek/deepseek-v4-flash",
        said=say(
            {"role": "assistant", "content": None, "reasoning_content": ""},
            {"content": None, "reasoning_content": "Let me "},
            {"content": None, "reasoning_content": "look."},
            {"content": "", "reasoning_content": None},
            call(0, "call_0_a", "read_file", ""),
            call(0, "", "", A[:5]),
            call(0, None, None, A[5:]),
            finish="tool_calls",
            usage=PLAIN | {"prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 6},
        ),
        means=(ThinkingBlock(text="Let me look."), read("call_0_a", "a")),
        stop="tool_use",
        usage=Usage(input=6, output=5, cache_read=4),
        judged=True,
    ),
    Quirk(
        id="deepseek-duplicate-ids-in-one-answer",
        model="deepseek-chat",
        said=say(call(0, "call_x", "read_file", A), call(1, "call_x", "read_file", B), finish="tool_calls"),
        means=(read("call_x", "a"), read("*", "b")),
        stop="tool_use",
    ),
    Quirk(
        id="deepseek-out-of-resources",
        model="deepseek/deepseek-v4-flash",
        said=say(*text("Hel"), finish="insufficient_system_resource"),
        failed="interrupted",
    ),
    *(
        leak(f"dsml-{name}", model, DSML.replace("｜", bars))
        for name, model, bars in (
            ("fullwidth", "deepseek/deepseek-v4-flash", "｜"),
            ("ascii", "deepseek-chat", "|"),
            ("double-fullwidth", "deepseek-v3.2", "｜｜"),
            ("double-ascii", "DeepSeek-V3.2", "||"),
            ("parallel-sign", "deepseek-ai/DeepSeek-V3.2", "‖"),
            ("spaced", "some-model", " | "),
        )
    ),
    leak("dsml-v4-block-name", "deepseek-v4-pro", DSML.replace("function_calls", "tool_calls")),
    leak("dsml-bare-invoke", "deepseek-chat", DSML.replace("<｜DSML｜function_calls>\n", "").rpartition("\n")[0]),
    leak(
        "dsml-json-body",
        "deepseek-chat",
        '<｜DSML｜tool_calls><｜DSML｜invoke name="read_file">{"path": "a"}</｜DSML｜invoke></｜DSML｜tool_calls>',
        (read("*", "a"),),
    ),
    leak(
        "deepseek-v3-tokens",
        "deepseek-chat",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n"
        '{"path": "a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        (read("*", "a"),),
    ),
    leak(
        "deepseek-v31-tokens",
        "deepseek-chat",
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a"}<｜tool▁call▁end｜>'
        "<｜tool▁calls▁end｜>",
        (read("*", "a"),),
    ),
    Quirk(
        id="dsml-in-the-thinking",
        model="deepseek-chat",
        said=say(*({"reasoning_content": DSML[i : i + 5]} for i in range(0, len(DSML), 5))),
        means=(ThinkingBlock(text="I'll look.\n\n"), *LEAKED[1:]),
        stop="tool_use",
    ),
    Quirk(
        id="dsml-beside-structured-calls",
        model="deepseek-chat",
        said=say(*text(DSML), call(0, "call_1", "read_file", A), finish="tool_calls"),
        means=(TextBlock(text="I'll look.\n\n"), read("call_1", "a")),
        stop="tool_use",
    ),
    *(
        Quirk(id=f"dsml-{name}", model="deepseek-chat", said=say(*text(*markup)), failed="protocol")
        for name, markup in (
            ("without-an-end", DSML[:140]),
            ("opening-tag-only", "ok <｜DSML｜function_calls>"),
            ("without-a-name", '<｜DSML｜invoke nam="x"></｜DSML｜invoke>'),
            ("parameter-without-a-call", '<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>'),
        )
    ),
    Quirk(
        id="dsml-cut-off-by-the-limit",
        model="deepseek-chat",
        said=say(*text(DSML[:140]), finish="length"),
        means=(
            TextBlock(text="I'll look.\n\n"),
            MalformedCall(id="*", name="read_file", raw=DSML[12:140], error="The call was cut off."),
        ),
        stop="max_tokens",
    ),
    Quirk(
        id="dsml-talked-about",
        model="deepseek-chat",
        said=say(
            *text("The `<｜DSML｜invoke>` tag:\n", "```\n<｜DSML｜invoke name=...>\n```\n", "a < b, <｜ and <｜DS")
        ),
        means=(
            TextBlock(text="The `<｜DSML｜invoke>` tag:\n```\n<｜DSML｜invoke name=...>\n```\na < b, <｜ and <｜DS"),
        ),
        judged=True,
    ),
    Quirk(
        id="dsml-with-a-parameter-that-is-not-json",
        model="deepseek-chat",
        said=say(*text(DSML.replace(">3<", ">many<"))),
        means=(
            TextBlock(text="I'll look.\n\n"),
            MalformedCall(
                id="*",
                name="read_file",
                raw='{"path":"a"}',
                error="The arguments can't be read: the parameter 'limit' is not JSON: "
                "JSON is malformed: invalid character (byte 0)",
            ),
            ToolCall(id="*", name="list_files", input={}),
        ),
        stop="tool_use",
    ),
)

GLM = (
    Quirk(
        id="glm-all-arguments-in-one-chunk-and-one-id-for-parallel-calls",
        model="zhipu/glm-4.6",
        said=say(
            {"role": "assistant", "reasoning_content": "two files"},
            *text("\n"),
            both(call(0, "call_7", "read_file", A), call(1, "call_7", "read_file", B)),
            finish="tool_calls",
            usage=PLAIN,
        ),
        means=(ThinkingBlock(text="two files"), read("call_7", "a"), read("*", "b")),
        stop="tool_use",
        usage=Usage(input=10, output=5),
    ),
    Quirk(
        id="glm-rate-limit-inside-a-200-stream",
        model="glm-4.6",
        said='data: {"error":{"code":"1302","message":"您的账户已达到速率限制"}}\n\n'.encode(),
        failed="rate_limit",
    ),
    Quirk(
        id="glm-network-error",
        model="zhipu/glm-4.6",
        said=say(*text("x"), finish="network_error"),
        failed="interrupted",
    ),
    Quirk(
        id="glm-sensitive",
        model="zhipu/glm-4.6",
        said=say(*text("I can"), finish="sensitive"),
        means=(TextBlock(text="I can"),),
        stop="refusal",
    ),
)

KIMI_CASES = (
    Quirk(
        id="kimi-ids-repeat-across-turns",
        model="moonshot/kimi-k2.6",
        messages=HISTORY,
        said=say(
            {"role": "assistant", "content": "", "reasoning_content": "hm"},
            call(0, "read_file:0", "read_file", A),
            call(1, "read_file:1", "read_file", B),
            finish="tool_calls",
        ),
        means=(ThinkingBlock(text="hm"), read("read_file:1", "a"), read("read_file:2", "b")),
        stop="tool_use",
    ),
    leak("kimi-tokens-leak", "kimi-k2", KIMI),
    leak(
        "kimi-tokens-leak-without-a-section",
        "moonshotai/Kimi-K2-Instruct",
        KIMI.replace("s_section_begin", "_x").replace("<|tool_call_x|>", "").replace("<|tool_calls_section_end|>", ""),
    ),
    leak(
        "kimi-k3-xtml-leaks",
        "kimi-k3",
        "I'll look.\n\n<|open|>tools<|sep|>"
        '<|open|>call tool="read_file" index="0"<|sep|><|open|>argument key="path" type="string"<|sep|>a'
        '<|close|>argument<|sep|><|open|>argument key="limit" type="number"<|sep|>3<|close|>argument<|sep|>'
        '<|close|>call<|sep|><|open|>call tool="list_files" index="1"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>'
        "<|close|>message<|sep|><|end_of_msg|>",
    ),
    Quirk(
        id="kimi-tokens-in-the-thinking",
        model="kimi-k2-thinking",
        said=say(*({"reasoning_content": KIMI[i : i + 7]} for i in range(0, len(KIMI), 7)), finish="tool_calls"),
        means=(ThinkingBlock(text="I'll look.\n\n"), *LEAKED[1:]),
        stop="tool_use",
    ),
    Quirk(
        id="kimi-usage-inside-the-choice",
        model="moonshot/kimi-k2.6",
        said=openai_chunks(
            [
                openai_chunk({"content": "Hi"}),
                {
                    **openai_chunk({}),
                    "choices": [
                        {"index": 0, "delta": {}, "finish_reason": "stop", "usage": PLAIN | {"cached_tokens": 8}}
                    ],
                },
            ]
        ),
        means=(TextBlock(text="Hi"),),
        usage=Usage(input=2, output=5, cache_read=8),
    ),
)

MINIMAX = (
    Quirk(
        id="minimax-think-tags-empty-role-null-usage-and-no-finish",
        model="MiniMax-M2",
        said=openai_chunks(
            [
                openai_chunk({"role": "", "content": piece}) | {"usage": None}
                for piece in ("<th", "ink>\nThe user", " says hi.\n</thi", "nk>\n\nHello", "!")
            ],
            done=False,
        ),
        means=(ThinkingBlock(text="The user says hi."), TextBlock(text="Hello!")),
    ),
    Quirk(
        id="minimax-call-and-no-finish",
        model="minimax/MiniMax-M2",
        said=openai_chunks([openai_chunk(call(0, "c1", "read_file", A))], done=False),
        means=(read("c1", "a"),),
        stop="tool_use",
    ),
    Quirk(
        id="minimax-half-a-call-and-no-finish",
        model="minimax/MiniMax-M2",
        said=openai_chunks([openai_chunk(call(0, "c1", "read_file", A[:5]))], done=False),
        failed="interrupted",
    ),
    Quirk(
        id="minimax-thinks-in-the-middle",
        model="minimax-m2.5",
        said=say(*text("Well,<think>hm</think> yes. ", "<think>unfinished")),
        means=(
            TextBlock(text="Well,"),
            ThinkingBlock(text="hm"),
            TextBlock(text="yes. "),
            ThinkingBlock(text="unfinished"),
        ),
    ),
    leak(
        "minimax-xml-leaks",
        "MiniMax-M2",
        'I\'ll look.\n\n<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">a</parameter>\n'
        '<parameter name="limit">3</parameter>\n</invoke>\n'
        '<invoke name="list_files">\n</invoke>\n</minimax:tool_call>\n',
    ),
    Quirk(
        id="minimax-error-in-base-resp",
        model="MiniMax-M2",
        said=b'data: {"base_resp":{"status_code":1002,"status_msg":"rate limit exceeded"}}\n\n',
        failed="rate_limit",
    ),
)

QWEN = (
    Quirk(
        id="qwen-empty-ids-later-and-a-last-chunk-without-choices",
        model="dashscope/qwen3-max",
        said=say(
            {"role": "assistant", "content": ""},
            call(0, "call_q", "read_file", ""),
            call(0, "", None, A[:4]),
            call(0, "", None, A[4:]),
            finish="tool_calls",
            usage=PLAIN | {"prompt_tokens_details": {"cached_tokens": 3}},
        ),
        means=(read("call_q", "a"),),
        stop="tool_use",
        usage=Usage(input=7, output=5, cache_read=3),
        judged=True,
    ),
)

LOCAL = (
    Quirk(
        id="ollama-stop-with-calls-objects-and-index-zero",
        model="ollama/qwen3:8b",
        said=say(
            call(0, "call_1", "read_file", {"path": "a"}),
            call(0, "call_2", "read_file", {"path": "b"}),
            finish="stop",
        ),
        means=(read("call_1", "a"), read("call_2", "b")),
        stop="tool_use",
    ),
    Quirk(
        id="vllm-index-zero-told-apart-by-id",
        model="some-model",
        said=say(
            {"role": "assistant", "content": "", "tool_calls": []},
            call(0, "chatcmpl-tool-1", "read_file", ""),
            call(0, None, None, A),
            call(0, "chatcmpl-tool-2", "read_file", ""),
            call(0, None, None, B),
            finish="tool_calls",
        ),
        means=(read("chatcmpl-tool-1", "a"), read("chatcmpl-tool-2", "b")),
        stop="tool_use",
    ),
    Quirk(
        id="sglang-index-zero-told-apart-by-a-new-name",
        model="some-model",
        said=say(
            call(0, None, "read_file", ""),
            call(0, None, None, A),
            call(0, None, "list_files", ""),
            call(0, None, None, "{}"),
            finish="tool_calls",
        ),
        means=(read("*", "a"), ToolCall(id="*", name="list_files", input={})),
        stop="tool_use",
    ),
    Quirk(
        id="lmdeploy-index-zero-the-same-name-again",
        model="some-model",
        said=say(both(call(0, "", "read_file", A), call(0, "", "read_file", B)), finish="tool_calls"),
        means=(read("*", "a"), read("*", "b")),
        stop="tool_use",
    ),
    Quirk(
        id="vllm-finish-null-but-done",
        model="vllm/some-model",
        said=say(*text("Hi"), {"content": "", "tool_calls": []}, finish=None),
        means=(TextBlock(text="Hi"),),
    ),
    Quirk(
        id="vllm-repeats-all-arguments-at-the-end",
        model="vllm/some-model",
        said=say(call(0, "c", "read_file", A[:6]), call(0, None, None, A[6:]), call(0, None, None, A), finish="stop"),
        means=(read("c", "a"),),
        stop="tool_use",
    ),
    Quirk(
        id="index-missing",
        model="some-model",
        said=say(call(None, "c", "read_file", A[:6]), call(None, None, None, A[6:]), call(None, "d", "read_file", B)),
        means=(read("c", "a"), read("d", "b")),
        stop="tool_use",
    ),
    Quirk(
        id="index-counts-chunks",
        model="some-model",
        said=say(call(0, "c", "read_file", A[:6]), call(1, "c", "", A[6:8]), call(2, "", None, A[8:])),
        means=(read("c", "a"),),
        stop="tool_use",
    ),
    Quirk(
        id="id-and-name-repeated-in-every-delta",
        model="some-model",
        said=say(*(call(0, "c", "read_file", piece) for piece in (A[:3], A[3:8], A[8:]))),
        means=(read("c", "a"),),
        stop="tool_use",
    ),
    Quirk(
        id="a-name-in-pieces",
        model="some-model",
        said=say(call(0, "c", "read_", ""), call(0, "", "file", ""), call(0, "", "", A)),
        means=(read("c", "a"),),
        stop="tool_use",
    ),
    Quirk(
        id="empty-object-before-the-arguments",
        model="some-model",
        said=say(call(0, "c", "read_file", "{}"), call(0, None, None, A)),
        means=(read("c", "a"),),
        stop="tool_use",
    ),
    Quirk(
        id="interleaved-parallel-calls",
        model="some-model",
        said=say(
            both(call(0, "c", "read_file", ""), call(1, "d", "read_file", "")),
            both(call(0, None, None, A[:4]), call(1, None, None, B[:4])),
            both(call(1, None, None, B[4:]), call(0, None, None, A[4:])),
            finish="tool_calls",
        ),
        means=(read("c", "a"), read("d", "b")),
        stop="tool_use",
        judged=True,
    ),
    Quirk(
        id="llamacpp-closing-think-without-an-opening",
        model="some-model",
        said=say(*text("The user ", "wants a.\n</th", "ink>\n\n", "It is a.")),
        means=(ThinkingBlock(text="The user wants a.\n"), TextBlock(text="It is a.")),
    ),
    Quirk(
        id="lmstudio-empty-ids",
        model="lmstudio/some-model",
        said=say(call(0, "", "read_file", A), call(1, "", "read_file", B), finish="tool_calls"),
        means=(read("*", "a"), read("*", "b")),
        stop="tool_use",
    ),
    *(
        Quirk(id=f"small-model-{name}", model=model, said=say(*text(*written)), means=means, stop="tool_use")
        for name, model, written, means in (
            ("bare-json", "ollama/q", '{"name": "read_file", "arguments": {"path": "a"}}', (read("*", "a"),)),
            ("json-of-llama", "lmstudio/q", ' {"name": "read_file", "parameters": {"path": "a"}}', (read("*", "a"),)),
            (
                "fenced-json",
                "vllm/q",
                '```json\n{\n "name": "read_file",\n "arguments": {"path": "a"}\n}\n```\n',
                (read("*", "a"),),
            ),
            (
                "hermes",
                "qwen2.5-coder",
                HERMES,
                (read("*", "a"), ToolCall(id="*", name="list_files", input={})),
            ),
            (
                "qwen3-coder",
                "qwen3-coder",
                QWEN3_CODER,
                (ToolCall(id="*", name="read_file", input={"path": "a", "limit": 3}),),
            ),
            (
                "glm",
                "glm-4-9b",
                "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
                (read("*", "a"),),
            ),
            (
                "after-thinking",
                "qwen3",
                '<think>\nhm\n</think>\n\n{"name": "read_file", "arguments": {"path": "a"}}',
                (ThinkingBlock(text="hm"), read("*", "a")),
            ),
        )
    ),
    *(
        Quirk(
            id=f"not-a-call-{name}",
            model=model,
            said=say(*text(*written)),
            means=(TextBlock(text=written),),
            judged=True,
        )
        for name, model, written in (
            ("unknown-tool", "ollama/q", '{"name": "rm", "arguments": {}}'),
            ("something-before", "ollama/q", 'Call: {"name": "read_file", "arguments": {"path": "a"}}'),
            ("something-after", "ollama/q", '{"name": "read_file", "arguments": {"path": "a"}} is the call'),
            ("more-keys", "ollama/q", '{"name": "read_file", "arguments": {"path": "a"}, "note": 1}'),
            ("code", "ollama/q", '```python\nprint({"name": 1})\n```'),
            ("a-profile-that-does-not-say-so", "openai/gpt-4o", '{"name": "read_file", "arguments": {"path": "a"}}'),
            ("a-maker-that-does-not-say-so", "deepseek/x", '{"name": "read_file", "arguments": {"path": "a"}}'),
            ("dsml-at-openai", "openai/gpt-4o", DSML),
            ("think-at-openai", "openai/gpt-4o", "<think>x</think>y"),
        )
    ),
)

GEMINI = (
    Quirk(
        id="gemini-index-zero-no-ids-and-signatures",
        model="gemini/gemini-3.8-flash",
        said=say(
            both(
                call(0, "", "read_file", A, extra_content={"google": {"thought_signature": "c2ln"}}),
                call(0, "", "read_file", B),
            ),
            finish="stop",
            usage={
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 35,
                "completion_tokens_details": {"reasoning_tokens": 20},
            },
        ),
        means=(read("*", "a", "c2ln"), read("*", "b")),
        stop="tool_use",
        usage=Usage(input=10, output=25, reasoning=20),
    ),
    Quirk(
        id="gemini-thoughts-in-tags",
        model="gemini/gemini-3.8-flash",
        said=say(*text("<thought>hm", "</thought>Hi")),
        means=(ThinkingBlock(text="hm"), TextBlock(text="Hi")),
    ),
    Quirk(
        id="gemini-error-in-a-list",
        model="gemini-3.8-flash",
        said=b'data: [{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}]\n\n',
        failed="rate_limit",
    ),
    Quirk(
        id="gemini-malformed-function-call",
        model="gemini/gemini-3.8-flash",
        said=say({"role": "assistant"}, finish="MALFORMED_FUNCTION_CALL"),
        failed="interrupted",
    ),
)

OPENROUTER = (
    Quirk(
        id="openrouter-comments-reasoning-and-details",
        model="openrouter/anthropic/claude-sonnet-5.5",
        said=b": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n"
        + say(
            {
                "content": "",
                "reasoning": "Let",
                "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Let", "format": "anthropic"}],
            },
            {
                "content": "",
                "reasoning": " me.",
                "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": " me.", "format": "anthropic"}],
            },
            {"content": "", "reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "c2ln"}]},
            *text("Hi"),
            usage=PLAIN | {"prompt_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 3}},
        ),
        means=(
            ThinkingBlock(
                text="Let me.",
                details=[
                    {
                        "type": "reasoning.text",
                        "index": 0,
                        "text": "Let me.",
                        "format": "anthropic",
                        "signature": "c2ln",
                    }
                ],
            ),
            TextBlock(text="Hi"),
        ),
        usage=Usage(input=5, output=5, cache_read=2, cache_write=3),
        judged=True,
    ),
    Quirk(
        id="openrouter-encrypted-details-with-the-call",
        model="openrouter/google/gemini-3.8-flash",
        said=say(
            call(0, "c", "read_file", A)
            | {"reasoning_details": [{"type": "reasoning.encrypted", "index": 0, "data": "x", "id": "c"}]},
            finish="tool_calls",
        ),
        means=(
            ThinkingBlock(details=[{"type": "reasoning.encrypted", "index": 0, "data": "x", "id": "c"}]),
            read("c", "a"),
        ),
        stop="tool_use",
    ),
    Quirk(
        id="openrouter-error-object-inside-the-stream",
        model="openrouter/x/y",
        said=say(*text("Hel"), finish=None).replace(b"data: [DONE]\n\n", b"")
        + b'data: {"id":"g","object":"chat.completion.chunk","error":{"code":502,"message":"Provider disconnected"},'
        b'"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\n',
        failed="server",
    ),
    Quirk(
        id="openrouter-finish-error-only",
        model="openrouter/x/y",
        said=say(*text("Hel"), finish="error"),
        failed="interrupted",
    ),
)

EVERYONE = (
    Quirk(
        id="plain",
        model="openai/gpt-4o",
        said=say(
            {"role": "assistant", "content": "", "refusal": None},
            *text("Grüße", ", 世", "界 👋"),
            usage=PLAIN
            | {
                "prompt_tokens_details": {"cached_tokens": 6},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
        ),
        means=(TextBlock(text="Grüße, 世界 👋"),),
        usage=Usage(input=4, output=5, cache_read=6, reasoning=2),
        judged=True,
    ),
    Quirk(
        id="parallel-calls-as-documented",
        model="openai/gpt-4o",
        said=say(
            {"role": "assistant", "content": None},
            call(0, "call_1", "read_file", ""),
            call(0, None, None, A[:4]),
            call(0, None, None, A[4:]),
            call(1, "call_2", "list_files", ""),
            call(1, None, None, "{}"),
            finish="tool_calls",
        ),
        means=(read("call_1", "a"), ToolCall(id="call_2", name="list_files", input={})),
        stop="tool_use",
        judged=True,
    ),
    Quirk(
        id="crlf-multi-line-data-and-no-done",
        model="openai/gpt-4o",
        said=json.dumps(openai_chunk({"content": "Hi"}, "stop"), indent=1)
        .replace("\n", "\r\ndata: ")
        .join(("data: ", "\r\n\r\n"))
        .encode(),
        means=(TextBlock(text="Hi"),),
    ),
    Quirk(
        id="content-in-parts",
        model="some-model",
        said=say(
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
            {"content": [{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]},
        ),
        means=(ThinkingBlock(text="hm"), TextBlock(text="Hi")),
    ),
    Quirk(
        id="a-refusal",
        model="openai/gpt-4o",
        said=say({"refusal": "I can't"}, {"refusal": " do that."}),
        means=(TextBlock(text="I can't do that."),),
        stop="refusal",
    ),
    Quirk(
        id="content-filter",
        model="openai/gpt-4o",
        said=say(*text("I"), finish="content_filter"),
        means=(TextBlock(text="I"),),
        stop="refusal",
        judged=True,
    ),
    Quirk(
        id="legacy-function-call",
        model="some-model",
        said=say(
            {"function_call": {"name": "read_file", "arguments": ""}},
            {"function_call": {"arguments": A[:5]}},
            {"function_call": {"arguments": A[5:]}},
            finish="function_call",
        ),
        means=(read("*", "a"),),
        stop="tool_use",
    ),
    Quirk(
        id="limit-inside-a-call",
        model="openai/gpt-4o",
        said=say(call(0, "c", "read_file", A[:6]), finish="length"),
        means=(
            MalformedCall(
                id="c",
                name="read_file",
                raw=A[:6],
                error="The arguments are not valid JSON: EOF while parsing a string at line 1 column 6, "
                'near "{\\"path". They end too early, so the call was cut off.',
            ),
        ),
        stop="max_tokens",
    ),
    Quirk(
        id="limit-before-the-arguments",
        model="openai/gpt-4o",
        said=say(call(0, "c", "read_file", ""), finish="length"),
        means=(MalformedCall(id="c", name="read_file", raw="", error="The call was cut off."),),
        stop="max_tokens",
    ),
    Quirk(
        id="arguments-that-are-an-array",
        model="openai/gpt-4o",
        said=say(call(0, "c", "read_file", "[1]"), finish="tool_calls"),
        means=(
            MalformedCall(
                id="c", name="read_file", raw="[1]", error="The arguments must be a JSON object, not an array."
            ),
        ),
        stop="tool_use",
        judged=True,
    ),
    Quirk(
        id="a-call-without-a-name",
        model="some-model",
        said=say(call(0, "c", "", A), finish="tool_calls"),
        means=(MalformedCall(id="c", name="", raw=A, error="The call names no tool."),),
        stop="tool_use",
    ),
    Quirk(
        id="half-an-emoji-in-each-chunk",
        model="some-model",
        said=say(finish=None).replace(b"data: [DONE]\n\n", b"")
        + b'data: {"choices":[{"index":0,"delta":{"content":"a\\ud83d"}}]}\n\n'
        + b'data: {"choices":[{"index":0,"delta":{"content":"\\ude00b"},"finish_reason":"stop"}]}\n\n',
        means=(TextBlock(text="a😀b"),),
    ),
    Quirk(
        id="the-same-thinking-under-two-names",
        model="some-model",
        said=say({"reasoning": "hm", "reasoning_content": "hm"}, *text("Hi")),
        means=(ThinkingBlock(text="hm"), TextBlock(text="Hi")),
        judged=True,
    ),
    Quirk(
        id="a-whole-message-once-more-at-the-end",
        model="some-model",
        said=openai_chunks(
            [
                openai_chunk({"content": "Hi"}),
                {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]},
            ]
        ),
        means=(TextBlock(text="Hi"),),
    ),
    Quirk(
        id="null-everywhere",
        model="some-model",
        said=say(
            {"role": None, "content": None, "tool_calls": None, "function_call": None, "reasoning_details": None},
            *text("Hi"),
        ).replace(b'"created": 1', b'"created": null'),
        means=(TextBlock(text="Hi"),),
    ),
    Quirk(
        id="done-and-nothing-else",
        model="some-model",
        said=b"data: [DONE]\n\n",
        failed="interrupted",
    ),
    Quirk(id="nothing-at-all", model="minimax/m", said=b"", failed="interrupted"),
    Quirk(
        id="no-finish-and-no-done",
        model="openai/gpt-4o",
        said=openai_chunks([openai_chunk({"content": "Hel"})], done=False),
        failed="interrupted",
    ),
    Quirk(
        id="error-chunk-without-choices",
        model="some-model",
        said=b'data: {"object":"error","message":"The engine is overloaded","type":"overloaded_error","code":503}\n\n',
        failed="overloaded",
    ),
    Quirk(
        id="error-event",
        model="some-model",
        said=b'event: error\ndata: {"message":"Internal server error","status":500}\n\n',
        failed="server",
    ),
    Quirk(
        id="junk-after-a-good-start",
        model="some-model",
        said=say(*text("Hi"), finish=None).replace(b"data: [DONE]", b"data: <html>"),
        failed="protocol",
    ),
)

QUIRKS = (*DEEPSEEK, *GLM, *KIMI_CASES, *MINIMAX, *QWEN, *LOCAL, *GEMINI, *OPENROUTER, *EVERYONE)
