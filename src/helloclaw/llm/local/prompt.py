"""What the small model reads: who it is, its tools, a few worked examples, and the conversation as plain text. Pure.

Under 1,000 tokens with the lean tools. Measured on Qwen2.5-Coder-1.5B: with rules alone it explains how to do a thing
instead of doing it, or looks up the capital of France with curl; worked examples of both kinds cure that. All of it is
byte-stable, so that llama.cpp computes it once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from helloclaw.llm.json_value import is_array, is_object
from helloclaw.llm.local.conversation import Step, Turn
from helloclaw.llm.local.examples import EXAMPLES
from helloclaw.llm.messages import MalformedCall, Message, TextBlock, ToolCall, ToolSpec, user_text

RESULT_CHARACTERS = 4000
"""Of a result, the start and the end: about 1,300 tokens, a sixth of the window."""

SYSTEM_CHARACTERS = 2000
REMINDER_CHARACTERS = 300
MAX_TOOLS = 8
LEAN_TOOLS = ("read_file", "write_file", "edit_file", "bash", "search_content")

_DEFAULT_SYSTEM = "You are HelloClaw, an assistant on the user's computer."
_DESCRIPTIONS = {
    "read_file": "read a text file",
    "write_file": "create or overwrite a file",
    "edit_file": "in a file, replace old_text, copied exactly from it, with new_text",
    "bash": "run a shell command: list (ls -S: by size), copy, move, delete files, run scripts, count, compute",
    "search_content": "find which files contain a pattern",
}
_FORMAT = """\
To use a tool, reply with only one JSON object:
{"name": "bash", "arguments": {"command": "ls"}}
Its result comes back to you. Never guess what a file contains or what a command prints, and never tell the user to \
run something: use a tool. When the request is done, or needs no tool, answer in plain text, in the user's language, \
with the facts from the results."""

_LINE_NUMBER = re.compile(r"^ *\d+\t", re.MULTILINE)
_ASIAN = re.compile(r"chinese|mandarin|cantonese|japanese|korean|translat|pinyin|hanzi|kanji", re.IGNORECASE)
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


def offered(tools: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
    """The tools a small model can keep apart: all if they are few, else the lean ones."""
    if len(tools) <= MAX_TOOLS:
        return tuple(tools)
    return tuple(tool for tool in tools if tool.name in LEAN_TOOLS) or tuple(tools[:MAX_TOOLS])


def system_text(system: str, tools: Sequence[ToolSpec]) -> str:
    """`system` is the caller's, which says who speaks and what the person has added; cut when it is long."""
    own = _clipped(system.strip() or _DEFAULT_SYSTEM, SYSTEM_CHARACTERS)
    listed = "\n".join(f"- {tool.name}({', '.join(_required(tool))}): {_description(tool)}" for tool in tools)
    return f"{own}\n\nTools:\n{listed}\n\n{_FORMAT}"


def examples(tools: Sequence[ToolSpec]) -> tuple[Message, ...]:
    """Worked examples, with nothing but the offered tools."""
    names = {tool.name for tool in tools}
    return conversation([turn for turn in EXAMPLES if all(step.call.name in names for step in turn.steps)])


def conversation(turns: Sequence[Turn]) -> tuple[Message, ...]:
    return tuple(message for turn in turns for message in _written(turn))


def _written(turn: Turn) -> list[Message]:
    messages = [user_text(turn.request)] if turn.request else []
    for step in turn.steps:
        messages += [_said(call_text(step)), user_text(f"Result:\n{_result(step)}\n\n{_reminder(turn.request, step)}")]
    return [*messages, _said(turn.answer)] if turn.answer else messages


def call_text(step: Step) -> str:
    match step.call:
        case ToolCall(name=name, input=arguments):
            return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        case MalformedCall(raw=raw):
            return raw


def _result(step: Step) -> str:
    """File content without the line numbers: they would come back in `old_text`."""
    text = _LINE_NUMBER.sub("", step.result) if step.call.name == "read_file" and not step.failed else step.result
    text = f"Error: {text}" if step.failed and step.call.name != "bash" else text
    return _clipped(text, RESULT_CHARACTERS)


def _reminder(request: str, step: Step) -> str:
    """Said with each result: the language, and after a failure what it was about, for both are soon forgotten."""
    language = "(用中文回答)" if _CJK.search(request) else "(Answer in English)"
    return (
        f"(That failed. The request is: {_clipped(request, REMINDER_CHARACTERS)})\n{language}"
        if step.failed
        else language
    )


def _said(text: str) -> Message:
    return Message(role="assistant", content=(TextBlock(text=text),))


def _description(tool: ToolSpec) -> str:
    return _DESCRIPTIONS.get(tool.name) or tool.description.strip().partition("\n")[0].partition(". ")[0]


def _required(tool: ToolSpec) -> list[str]:
    required, properties = tool.input_schema.get("required"), tool.input_schema.get("properties")
    if is_array(required) and required:
        return [str(name) for name in required]
    return [f"{name}?" for name in properties] if is_object(properties) else []


def speaks_only_latin(turns: Sequence[Turn]) -> bool:
    """Whether nothing said so far gives a reason to write Chinese, which the model at times does all the same."""
    if turns and _ASIAN.search(turns[-1].request):
        return False
    return not any(
        _CJK.search(text)
        for turn in turns
        for text in (turn.request, turn.answer, *(call_text(step) + step.result for step in turn.steps))
    )


def _clipped(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    return f"{text[:head]}\n… {len(text) - head - tail} characters left out …\n{text[-tail:]}"
