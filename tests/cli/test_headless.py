"""`helloclaw -p` and `ask`, from outside: what is printed where, and with which exit code."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from helloclaw.protocol.events import AssistantDelta, Event, RoundEnd, SessionCreated, UserMessage
from tests.cli.conftest import Ended, Program
from tests.support.model_server import Call, Exchange, Gate, ModelServer, Turn, html, json_answer

WRITE = Turn(text="Let me.", calls=(Call(name="write_file", input={"path": "a.txt", "content": "x"}),))


def sent(server: ModelServer, index: int = -1) -> str:
    """Everything the model was told, as one text."""
    return json.dumps(server.posts[index].json["messages"], ensure_ascii=False)


def result(ended: Ended) -> dict[str, Any]:
    """The object on the last line."""
    return json.loads(ended.out.splitlines()[-1])


def refusal(status: int, message: str = "no", **headers: str) -> Exchange:
    return json_answer({"error": {"message": message}}, status=status, headers=headers)


def test_the_answer_alone_is_on_standard_output(talking: Program, server: ModelServer) -> None:
    server.script(WRITE, Turn(text="Hello \x1b[31mthere"))
    assert talking("-p", "hi", "--allow", "Edit") == Ended(0, "Hello \x1b[31mthere\n", "")
    assert (talking.workdir / "a.txt").read_text() == "x"


def test_the_result_object(talking: Program, server: ModelServer) -> None:
    server.script(WRITE, Turn(text="So be it."))
    ended = talking("-p", "hi", "--output-format", "json")
    printed = result(ended)
    denial = printed["permission_denials"][0]
    # Whatever can't be known beforehand has at least the right shape.
    assert len(ended.out.splitlines()) == 1
    assert printed.pop("session_id") == next((talking.home / "workspace/sessions").glob("*.jsonl")).stem
    assert isinstance(printed.pop("duration_ms"), int)
    assert printed.pop("cost_usd") is None or isinstance(printed["cost_usd"], float)
    assert f"--allow '{denial.pop('rule')}'" in denial.pop("reason")
    assert printed == {
        "type": "result",
        "text": "So be it.",
        "stop_reason": "end_turn",
        "is_error": False,
        "steps": 2,
        "usage": {"input": 24, "output": 14, "cache_read": 0, "cache_write": 0, "reasoning": 0},
        "permission_denials": [{"tool": "write_file", "input": {"path": "a.txt", "content": "x"}}],
    }
    assert ended.err.startswith("not run: write_file(a.txt): ")
    assert not (talking.workdir / "a.txt").exists()


def test_the_rule_that_a_denial_names_lets_the_call_pass(talking: Program, server: ModelServer) -> None:
    server.script(WRITE, Turn(text="no"), WRITE, Turn(text="yes"))
    rule = result(talking("-p", "hi", "--json"))["permission_denials"][0]["rule"]
    assert result(talking("-p", "hi", "--json", "--allow", rule))["permission_denials"] == []
    assert (talking.workdir / "a.txt").exists()


def test_a_stream_of_events_and_the_object_last(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="one two three"))
    ended = talking("-p", "hi", "--output-format", "stream-json")
    lines = ended.out.splitlines()
    events = [msgspec.json.decode(line, type=Event) for line in lines[:-1]]
    assert (ended.code, ended.err, result(ended)["type"]) == (0, "", "result")
    assert "".join(event.text for event in events if isinstance(event, AssistantDelta)) == "one two three"
    assert [type(event) for event in events if isinstance(event, UserMessage | RoundEnd | SessionCreated)][
        -1
    ] is RoundEnd
    assert {event.session_id for event in events} == {result(ended)["session_id"]}


def test_commands_on_standard_input_are_turns_one_after_the_other(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="first"), Turn(text="second"))
    commands = b'{"type":"say","text":"one"}\n\n{"type":"set_mode","mode":"plan"}\n{"type":"say","text":"zebra"}\n'
    ended = talking("-p", "--input-format", "stream-json", "--output-format", "json", stdin=commands)
    printed = result(ended)
    assert (ended.code, printed["text"], printed["steps"], printed["usage"]["input"]) == (0, "second", 2, 24)
    assert ("first" in sent(server), "zebra" in sent(server), "zebra" in sent(server, 0)) == (True, True, False)


def test_a_line_that_is_no_command_is_named(talking: Program) -> None:
    ended = talking("-p", "--input-format", "stream-json", stdin=b'\n{"type":"shout"}\n')
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("usage: standard input line 2 is no command (Invalid value 'shout'")


@pytest.mark.parametrize(
    ("words", "stdin", "told"),
    [
        (["-p", "-"], b"from a pipe\n", ["from a pipe"]),
        (["-p"], "来自管道".encode(), ["来自管道"]),
        (["-p", "--json", "last"], None, ["last"]),
        (["-p", "look"], b"a\nb\n", ["look", "<stdin>\\na\\nb\\n</stdin>"]),
        (["-p", "look"], b"\n", ["look"]),
        (["-p", "-dash first"], None, ["-dash first"]),
        (["ask", "two", "words"], None, ["two words"]),
        ([b"-p", b"caf\xe9"], None, ["caf\ufffd"]),
    ],
)
def test_where_the_prompt_comes_from(
    talking: Program, server: ModelServer, words: list[str | bytes], stdin: bytes | None, told: list[str]
) -> None:
    server.script(Turn(text="ok"))
    ended = talking(*words, stdin=subprocess.DEVNULL if stdin is None else stdin)
    assert (ended.code, ended.err) == (0, "")
    assert [text for text in told if text not in sent(server)] == []
    assert ("<stdin>" in sent(server)) == (len(told) > 1)


def test_bytes_that_are_no_utf8_are_said_so(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="ok"))
    ended = talking("-p", "-", stdin="中文".encode("gb18030"))
    assert ended == Ended(0, "ok\n", "note: standard input is not UTF-8; what could not be read became \ufffd\n")


def test_five_megabytes_are_no_trouble_and_too_much_is_a_clear_limit(talking: Program, server: ModelServer) -> None:
    server.always(Turn(text="long"))
    # More than the window holds is said by the session; here it only has to arrive whole.
    ended = talking("-p", "-", stdin=b"word " * 1_000_000)
    assert ended.code in {0, 1}
    assert len(ended.err.splitlines()) <= 1
    ended = talking("-p", "-", stdin=b"x" * (17 << 20))
    limit = "usage: more than 16 MB on standard input; name a file in the prompt instead\n"
    assert ended == Ended(2, "", limit)


def test_a_session_goes_on_where_it_was(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="blue"), Turn(text="again"), Turn(text="copy"), Turn(text="by id"))
    first = result(talking("-p", "which colour?", "--json"))["session_id"]
    assert result(talking("-c", "-p", "and now?", "--json"))["session_id"] == first
    assert ("which colour?" in sent(server), "blue" in sent(server)) == (True, True)
    copy = result(talking("-r", first, "--fork", "-p", "what if?", "--json"))["session_id"]
    assert copy != first
    assert "and now?" in sent(server)
    assert result(talking("-r", first[:5], "-p", "more", "--json"))["session_id"] == first
    assert "what if?" not in sent(server)


def test_a_resumed_session_works_where_it_worked(talking: Program, server: ModelServer, tmp_path: Path) -> None:
    server.script(Turn(text="one"), Turn(text="two"))
    session = result(talking("-p", "hi", "--json", "--workdir", str(tmp_path)))["session_id"]
    talking("-r", session, "-p", "where?")
    assert f"Working directory: {tmp_path}" in sent(server)
    ended = talking("-c", "-p", "x")
    complaint = f"session: there is none yet in {talking.workdir}; see all with: helloclaw sessions list\n"
    assert ended == Ended(2, "", complaint)


def test_an_unknown_session_is_named_with_near_ones(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="one"))
    session = result(talking("-p", "hi", "--json"))["session_id"]
    ended = talking("-r", session[:-1] + "z", "-p", "x")
    assert (ended.code, ended.out) == (2, "")
    assert session in ended.err
    assert ended.err.endswith("; see them with: helloclaw sessions list\n")
    assert talking("-r", "../../etc/passwd", "-p", "x").code == 2


def test_one_session_is_one_process(talking: Program, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="one"), Turn(text="two", gate=gate))
    session = result(talking("-p", "hi", "--json"))["session_id"]
    command = talking.command("-r", session, "-p", "slow")
    with subprocess.Popen(command, env=talking.environ, cwd=talking.workdir, stdin=subprocess.DEVNULL) as first:
        assert gate.reached.wait(20)
        ended = talking("-r", session, "-p", "quick")
        removal = talking("sessions", "rm", session)
        gate.open()
        assert first.wait(20) == 0
    complaint = f"session: {session} is open in another process; close it there, or work on a copy with --fork\n"
    assert ended == removal == Ended(1, "", complaint)


def test_ask_works_in_the_home_workspace(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="here"), Turn(text="there"))
    assert talking("ask", "where?") == Ended(0, "here\n", "")
    assert f"Working directory: {talking.home}/workspace" in sent(server)
    assert talking("ask", "where?", "-w", str(talking.workdir)).out == "there\n"
    assert f"Working directory: {talking.workdir}" in sent(server)
    server.script(Turn(text="first"), Turn(text="second"))
    session = result(talking("ask", "my name is Ada", "--json"))["session_id"]
    assert result(talking("ask", "-s", session, "who am I?", "--json"))["session_id"] == session
    assert "my name is Ada" in sent(server)


def test_limits_end_a_turn_with_three(talking: Program, server: ModelServer) -> None:
    server.script(WRITE)
    ended = talking("-p", "hi", "--max-turns", "1", "--json")
    printed = result(ended)
    assert (ended.code, printed["stop_reason"], printed["is_error"], printed["steps"]) == (3, "limit", True, 1)
    assert printed["text"] == "Let me."


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (refusal(401, "Invalid API key"), 1, ["key"]),
        (refusal(404, "The model `scripted` does not exist"), 1, ["scripted"]),
        (refusal(400, "bad"), 1, ["bad"]),
        (refusal(503, "try later", **{"retry-after": "9999"}), 75, ["later"]),
        (html(), 1, ["127.0.0.1"]),
    ],
)
def test_a_model_that_does_not_answer_is_one_line(
    talking: Program, server: ModelServer, answer: Exchange, code: int, words: list[str]
) -> None:
    server.always(answer)
    ended = talking("-p", "hi")
    assert (ended.code, ended.out, ended.err.count("\n")) == (code, "", 1)
    assert ended.err.startswith("error: ")
    assert [word for word in words if word not in ended.err] == []
    ended = talking("-p", "hi", "--json")
    printed = result(ended)
    assert (ended.code, printed["is_error"], printed["stop_reason"]) == (code, True, "failed")
    assert f"error: {printed['text']}\n" == ended.err


@pytest.mark.parametrize(
    ("words", "environ", "complaint"),
    [
        (
            ["--model", "deepsek/x"],
            {"LLM_BASE_URL": ""},
            'error: "deepsek" is not a provider. Did you mean deepseek/x?',
        ),
        (["--model", "zhipu/glm-5"], {"LLM_BASE_URL": ""}, "error: zhipu needs an API key and none is set."),
        ([], {"LLM_BASE_URL": "nonsense"}, 'error: the base URL "nonsense" is no web address.'),
        ([], {"LLM_TIMEOUT": "soon"}, 'settings: LLM_TIMEOUT: "soon" must be a number above 0'),
        (["--allow", "Bash("], {}, "permissions: 'Bash(' is not a rule: "),
    ],
)
def test_what_can_not_be_meant_is_said_and_ends_with_two(
    talking: Program, words: list[str], environ: dict[str, str], complaint: str
) -> None:
    environ = {"LLM_API_KEY": ""} | environ
    ended = talking("-p", "hi", *words, **environ)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith(complaint)
    ended = talking("-p", "hi", "--output-format", "json", *words, **environ)
    printed = result(ended)
    assert (ended.code, printed["is_error"], printed["steps"]) == (2, True, 0)
    assert printed["text"][:20] in ended.err


def test_a_broken_settings_file_is_said_before_anything_starts(talking: Program) -> None:
    talking.home.mkdir()
    (talking.home / "config.json").write_text('{"llm": {"modle_id": "x"}}')
    complaint = 'settings: ~/.helloclaw/config.json line 1: "modle_id" is not a setting; did you mean "model_id"?'
    assert talking("-p", "hi") == Ended(2, "", complaint + "\n")
    ended = talking("-p", "hi", "--output-format", "stream-json")
    assert (result(ended)["text"], result(ended)["session_id"]) == (complaint, "")
    assert not (talking.home / "workspace").exists()


@pytest.mark.parametrize("home", ["/proc/none", "/dev/null"])
def test_a_home_that_can_not_be_written_is_one_line(talking: Program, home: str) -> None:
    ended = talking("-p", "hi", HELLOCLAW_HOME=home)
    assert (ended.code, ended.out, ended.err.count("\n"), home in ended.err) == (1, "", 1, True)


def test_a_directory_that_is_gone_is_one_line(talking: Program) -> None:
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    command = ["sh", "-c", script, "sh", *talking.command("-p", "hi")]
    done = subprocess.run(command, env=talking.environ, cwd=talking.workdir, capture_output=True, check=False)
    complaint = b"usage: the current directory was removed; change to another, or give --workdir\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", complaint)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupts_end_a_turn_in_order(talking: Program, server: ModelServer, number: signal.Signals) -> None:
    gate = Gate()
    server.script(Turn(text="half of it", gate=gate))
    command = talking.command("-p", "hi", "--output-format", "json")
    with subprocess.Popen(command, env=talking.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert gate.reached.wait(20)
        process.send_signal(number)
        printed, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert json.loads(printed)["stop_reason"] == "interrupted"


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler for the signal: before that, a signal simply ends it."""
    status = Path(f"/proc/{pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def waiting_bytes(pipe: int) -> int:
    """How much of what was written to a pipe nobody has read yet."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def test_an_interrupt_while_the_prompt_is_read_ends_at_once(talking: Program) -> None:
    command = talking.command("-p", "-", "--output-format", "json")
    with subprocess.Popen(
        command, env=talking.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"half a prompt")
        process.stdin.flush()
        while waiting_bytes(process.stdin.fileno()):  # until it has begun to read
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        printed, complaint = process.communicate(timeout=20)
    assert (process.returncode, json.loads(printed)["stop_reason"], complaint) == (130, "interrupted", b"")


def test_a_reader_that_leaves_stops_the_turn(talking: Program, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="one two three four five six seven", gate=gate))
    command = talking.command("-p", "hi", "--output-format", "stream-json")
    with subprocess.Popen(
        command, env=talking.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert gate.reached.wait(20)
        process.stdout.close()
        gate.open()
        assert (process.stderr.read(), process.wait(20)) == (b"", 1)


def test_retries_are_said_also_where_nobody_watches(talking: Program, server: ModelServer) -> None:
    server.script(refusal(529, "overloaded", **{"retry-after": "0"}), Turn(text="at last"))
    ended = talking("-p", "hi", "--lang", "zh")
    assert (ended.code, ended.out) == (0, "at last\n")
    assert re.fullmatch(r"  0\.\d 秒后重试（1/\d+）：服务过载（custom/scripted · 127\.0\.0\.1:\d+ · .*）\n", ended.err)


def test_a_limit_is_said(talking: Program, server: ModelServer) -> None:
    server.script(WRITE)
    ended = talking("-p", "hi", "--max-turns", "1", "--allow", "Edit")
    assert ended == Ended(3, "Let me.\n", "The limit of 1 model calls is reached.\n")


@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_an_output_that_takes_nothing_is_an_error(talking: Program, server: ModelServer, form: str) -> None:
    server.always(Turn(text="lost"))
    with Path("/dev/full").open("wb") as full:
        command = talking.command("-p", "hi", "--output-format", form)
        done = subprocess.run(
            command, env=talking.environ, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"helloclaw: standard output: No space left on device\n")


def test_a_closed_output_is_said_before_a_model_is_asked(talking: Program, server: ModelServer) -> None:
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *talking.command("-p", "hi")]
    done = subprocess.run(command, env=talking.environ, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    complaint = b"helloclaw: standard output is closed, so there is nowhere for the answer; give it a file or a pipe\n"
    assert (done.returncode, done.stderr, server.posts) == (1, complaint, [])


@pytest.mark.parametrize("answer", [Turn(text=""), Turn(text=" \n"), Turn(thinking="hm", text="")])
def test_an_answer_of_nothing_is_pointed_out(talking: Program, server: ModelServer, answer: Turn) -> None:
    server.always(answer)
    ended = talking("-p", "hi")
    assert (ended.code, ended.out, ended.err) == (0, "", "note: the model answered with nothing\n")
    assert talking("-p", "hi", "--json").err == "note: the model answered with nothing\n"


def test_a_failure_names_the_session_that_it_left(talking: Program, server: ModelServer) -> None:
    server.script(refusal(404, "The model `scripted` does not exist"))
    ended = talking("-p", "hi")
    session = next((talking.home / "workspace/sessions").glob("*.jsonl")).stem
    assert (ended.code, ended.err.endswith(f" (session {session})\n")) == (1, True)


@pytest.mark.slow
def test_a_pipe_that_says_nothing_is_not_waited_for(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="ok"))
    read, write = os.pipe()
    try:
        ended = talking("-p", "hi", stdin=read)
    finally:
        os.close(read)
        os.close(write)
    note = "note: nothing on standard input for 3 s; going on (< /dev/null saves the wait)\n"
    assert ended == Ended(0, "ok\n", note)
