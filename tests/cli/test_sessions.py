"""`helloclaw sessions`."""

from __future__ import annotations

import json
import os

import msgspec
import pytest

from helloclaw.protocol.events import Event
from helloclaw.wording.width import columns
from tests.cli.conftest import Ended, Program
from tests.support.model_server import Call, ModelServer, Turn


def talk(program: Program, server: ModelServer, question: str, answer: str) -> str:
    server.script(Turn(text=answer))
    return json.loads(program("-p", question, "--json").out)["session_id"]


def test_list_show_search_and_rm(talking: Program, server: ModelServer) -> None:
    assert talking("sessions") == Ended(0, "", "session: there is none yet\n")
    assert talking("sessions", "--json") == Ended(0, "[]\n", "")
    one = talk(talking, server, "我喜欢的颜色是什么?", "也许是蓝色。")
    two = talk(talking, server, "And the\nweather?", "Rain, \x1b[2Jno doubt.")
    code, text, _ = talking("sessions", "list")
    first, second = text.splitlines()
    assert (code, first.split()[0], second.split()[0]) == (0, two, one)
    assert ("And the weather?" in first, "我喜欢的颜色是什么?" in second) == (True, True)
    listed = json.loads(talking("sessions", "--json").out)
    assert [(row["id"], row["turns"], row["workdir"]) for row in listed] == [
        (two, 1, str(talking.workdir)),
        (one, 1, str(talking.workdir)),
    ]
    assert talking("sessions", "list", "--workdir", "/").out == ""
    assert talking("sessions", "show", two[:6]) == Ended(
        0, "## You\n\nAnd the\nweather?\n\n## HelloClaw\n\nRain, \\x1b[2Jno doubt.\n", ""
    )
    shown = json.loads(talking("sessions", "show", one, "--json").out)
    assert [event["type"] for event in shown][-1] == "round_end"
    found = talking("sessions", "search", "颜色").out.splitlines()
    assert (len(found), found[0].split()[0], found[1].strip()) == (2, one, "我喜欢的颜色是什么?")
    assert json.loads(talking("sessions", "search", "rain", "doubt", "--json").out)[0]["id"] == two
    assert talking("sessions", "search", "snow") == Ended(1, "", "session: none contains snow\n")
    assert talking("sessions", "rm", one) == Ended(0, f"Session {one} is removed.\n", "")
    gone = talking("sessions", "show", one)
    assert (gone.code, gone.out, one in gone.err) == (2, "", True)


def test_export(talking: Program, server: ModelServer) -> None:
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a"}),)), Turn(text="<b>It says hi</b>"))
    (talking.workdir / "a").write_text("hi")
    session = json.loads(talking("-p", "read a", "--json").out)["session_id"]
    markdown = talking("sessions", "export", session).out
    assert ("**read_file(a)**" in markdown, markdown.endswith("<b>It says hi</b>\n")) == (True, True)
    page = talking("sessions", "export", session, "--format", "html", "--lang", "zh").out
    assert ("&lt;b&gt;It says hi" in page, "<h2>你</h2>" in page) == (True, True)
    lines = talking("sessions", "export", session, "--format", "jsonl").out.splitlines()
    events = [msgspec.json.decode(line, type=Event) for line in lines]
    assert {event.session_id for event in events} == {session}
    complaint = 'usage: --format "pdf" is not one of md | html | jsonl\n'
    assert talking("sessions", "export", session, "--format", "pdf") == Ended(2, "", complaint)


def test_the_list_fits_the_terminal(talking: Program, server: ModelServer) -> None:
    question = "一个很长的问题，长到没有哪个终端能在一行里全部显示出来，所以要截断它，而不是换行。" * 2
    session = talk(talking, server, question, "好")
    for width in (20, 40, 60, 80, 100, 200):
        (line,) = talking("sessions", COLUMNS=str(width)).out.splitlines()
        assert (columns(line) <= width, line.split()[0]) == (True, session)
    assert "…" in talking("sessions", COLUMNS="80").out
    assert talking("sessions", COLUMNS="200").out.rstrip().endswith(str(talking.workdir)[-20:])
    assert json.loads(talking("sessions", "--json", COLUMNS="40").out)[0]["workdir"] == str(talking.workdir)


def test_times_are_local(talking: Program, server: ModelServer) -> None:
    session = talk(talking, server, "hi", "ho")
    os.utime(talking.home / f"workspace/sessions/{session}.jsonl", (0, 0))
    assert "1970-01-01 08:00" in talking("sessions", TZ="CST-8").out
    assert "1969-12-31 19:00" in talking("sessions", TZ="EST5").out


def test_an_old_session_is_imported_and_goes_on(talking: Program, server: ModelServer) -> None:
    messages = [
        {"role": "user", "content": "我叫小明"},
        {"role": "assistant", "content": [{"type": "text", "text": "你好，小明。"}]},
    ]
    (talking.workdir / "old.json").write_text(json.dumps({"title": "旧会话", "messages": messages}), encoding="utf-8")
    imported = json.loads(talking("sessions", "import", "old.json", "--json").out)
    session = imported.pop("id")
    assert imported == {"title": "旧会话", "workdir": str(talking.workdir), "messages": 2, "skipped": 0}
    assert talking("sessions", "show", session).out == "## You\n\n我叫小明\n\n## HelloClaw\n\n你好，小明。\n"
    server.script(Turn(text="小明"))
    assert talking("-r", session, "-p", "我叫什么？") == Ended(0, "小明\n", "")
    assert "你好，小明。" in json.dumps(server.posts[-1].json, ensure_ascii=False)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "import: old.json is no JSON (Input data was truncated); give the file of one session\n"),
        ('{"a": 1}', "import: old.json holds no list of messages; give the file of one session\n"),
        ('{"messages": []}', "import: nothing is said in old.json\n"),
        (None, "import: old.json can't be read: No such file or directory\n"),
    ],
)
def test_what_can_not_be_imported_is_one_line(program: Program, content: str | None, complaint: str) -> None:
    if content is not None:
        (program.workdir / "old.json").write_text(content)
    assert program("sessions", "import", "old.json") == Ended(2, "", complaint)
    assert program("sessions", "--json").out == "[]\n"


def test_a_file_that_is_no_journal_is_passed_over(talking: Program, server: ModelServer) -> None:
    session = talk(talking, server, "hi", "ho")
    sessions = talking.home / "workspace/sessions"
    (sessions / "broken.jsonl").write_bytes(b"\xff\xfe")
    (sessions / "future.jsonl").write_text('{"v":99,"id":"future"}\n')
    assert session in talking("sessions").out
    ended = talking("sessions", "show", "future")
    assert (ended.code, ended.out, ended.err.count("\n"), "99" in ended.err) == (1, "", 1, True)
