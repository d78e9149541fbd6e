"""In Chinese every command speaks Chinese: no English sentence is left in what is shown."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from helloclaw.storage.locks import hold
from tests.cli.conftest import Ended, Program
from tests.support.model_server import Call, ModelServer, Turn, html, json_answer

# Three words of Latin letters in a row are a sentence, but for what is typed into a shell and what a setting is called.
SENTENCE = re.compile(r"[A-Za-z]{2,}(?:['’]\w+)?(?: +[A-Za-z]{2,}(?:['’]\w+)?){2,}")
SHELL = re.compile(r"helloclaw [a-z -]+[A-Za-z./]*|pip install \w+|sudo apt install \w+|cat secret file")
NOWHERE = "http://127.0.0.1:9/v1"
COMMANDS = [
    ["--help"],
    ["ask", "--help"],
    ["sessions", "--help"],
    ["config", "--help"],
    ["model", "--help"],
    ["permissions", "--help"],
    ["sessions"],
    ["sessions", "show", "nope"],
    ["sessions", "show", "../x"],
    ["sessions", "search", "nothing"],
    ["sessions", "import", "/none"],
    ["sessions", "import", "/dev/null"],
    ["sessions", "lst"],
    ["sessions", "export", "x", "--format", "pdf"],
    ["config", "list"],
    ["config", "set", "nope", "1"],
    ["config", "set", "llm.wire", "x"],
    ["config", "set", "PORT", "1"],
    ["config", "edit"],
    ["model", "list"],
    ["model", "list", "--model", "deepsek/x"],
    ["model", "use", "deepsek/x"],
    ["model", "use", "deepseek/x"],
    ["model", "pull", "nothing"],
    ["model", "pull", "/no/such.gguf"],
    ["model", "pull", "/dev/null"],
    ["permissions", "list"],
    ["permissions", "check", "rm -rf /"],
    ["permissions", "check", "npm test && cat a | sh"],
    ["permissions", "check", "ls", "--allow", "Bash("],
    ["permissions", "rm", "Bash(x)"],
    ["-p", ""],
    ["-p", "hi", "--max-turns", "0"],
    ["-p", "hi", "--allow", "calculator(1)"],
    ["-p", "hi", "--workdir", "/none"],
    ["-p", "hi", "--model", "zhipu/x"],
    ["-p", "hi", "--model", "nobody"],
    ["-r", "nope", "-p", "hi"],
    ["-c", "-p", "hi"],
    ["--nope"],
    ["web"],
]


def sentences(text: str) -> list[str]:
    return SENTENCE.findall(SHELL.sub(" · ", text))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_says_no_english_sentence(program: Program, words: list[str]) -> None:
    # Some model, so that none is fetched; where the words name one of their own, nothing is to be in its way.
    some: dict[str, Any] = (
        {} if "--model" in words or words[0] == "model" else {"LLM_BASE_URL": NOWHERE, "LLM_MODEL_ID": "m"}
    )
    ended = program(*words, LANG="zh_CN.UTF-8", EDITOR="false", **some)
    assert (sentences(ended.out + ended.err), ended.code in {0, 1, 2}) == ([], True)
    assert re.search(r"[\u3400-\u9fff]", ended.out + ended.err)


WRITE = Turn(calls=(Call(name="write_file", input={"path": "a.txt", "content": "x"}),))
REMOVE = Turn(calls=(Call(name="bash", input={"command": "sudo ls"}),))


@pytest.mark.parametrize(
    ("script", "words", "told"),
    [
        ([WRITE, Turn(text="好")], [], "未运行：write_file(a.txt)：会写入 "),
        ([REMOVE, Turn(text="好")], [], "未运行：bash(sudo ls)：sudo 会以其他用户身份执行命令\n"),
        ([WRITE], ["--max-turns", "1"], "已到模型调用上限：1 次。\n"),
        ([json_answer({}, status=503, headers={"retry-after": "0"}), Turn(text="好")], [], "秒后重试（1/"),
        ([json_answer({"error": {"message": "nope"}}, status=401)], [], "错误：API 密钥不被接受。"),
        ([json_answer({"error": {"message": "nope"}}, status=404)], [], "错误：服务不认识这个模型或地址。"),
        ([json_answer({"error": {"message": "nope"}}, status=400)], [], "错误：模型服务拒绝了这个请求。"),
        ([html()], [], "错误：对方回的是网页而不是模型接口。"),
        ([Turn(text="")], [], "提示：模型什么也没有回答\n"),
        ([Turn(text="好")], ["--max-cost", "1"], "警告：不知道 custom/scripted 的价格，无法遵守费用上限。\n"),
    ],
)
def test_a_turn_says_no_english_sentence(
    talking: Program, server: ModelServer, script: list[Turn], words: list[str], told: str
) -> None:
    server.script(*script)
    ended = talking("-p", "你好", *words, LANG="zh_CN.UTF-8")
    assert told in ended.err
    assert sentences(ended.out + ended.err) == []


def test_what_a_journal_lost_is_said(talking: Program, server: ModelServer) -> None:
    server.always(Turn(text="好"))
    session = json.loads(talking("-p", "你好", "--json").out)["session_id"]
    path = talking.home / f"workspace/sessions/{session}.jsonl"
    path.write_bytes(path.read_bytes() + b"damaged\n" + b'{"type":"to')
    told = (
        f"警告：{path}：最后一行因崩溃而不完整，丢弃了其中 11 个字节。\n"
        f"警告：{path}：跳过了 1 行损坏的内容，其中所说的已丢失。\n"
    )
    assert talking("-r", session, "-p", "再来", "--lang", "zh") == Ended(0, "好\n", told)
    path.write_text("{}\n")
    complaint = f"helloclaw：{path}：以格式 None 写成；本程序只读格式 1\n"
    assert talking("-r", session, "-p", "再来", "--lang", "zh") == Ended(1, "", complaint)


def test_a_session_in_use_is_said(talking: Program, server: ModelServer) -> None:
    server.always(Turn(text="好"))
    session = json.loads(talking("-p", "你好", "--json").out)["session_id"]
    lock = hold(talking.home / f"workspace/sessions/.locks/{session}.lock")
    try:
        ended = talking("-r", session, "-p", "再来", "--lang", "zh")
    finally:
        lock.release()
    told = f"会话：{session} 正在另一个进程中打开；请在那边关闭它，或用 --fork 在副本上工作\n"
    assert ended == Ended(1, "", told)
