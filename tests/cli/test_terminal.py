"""Any bytes in, any text out."""

from __future__ import annotations

import json
import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.cli.terminal import encoded
from helloclaw.wording.plain import clean, one_line, visible
from helloclaw.wording.width import columns, padded
from tests.cli.conftest import Program

ANY_TEXT = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("rm \u202e/ fr-", "rm \\u202e/ fr-"),
        ("a\rb", "a\\x0db"),
        ("你好 🦀", "你好 🦀"),
    ],
)
def test_a_terminal_only_shows_what_it_is_given(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line_is_one_line() -> None:
    assert one_line(" a \n b\x00c ") == "a b\\x00c"
    assert one_line("abcdef", 4) == "abc…"


@given(ANY_TEXT)
def test_cleaned_text_is_utf8_and_good_text_is_left_alone(text: str) -> None:
    cleaned = clean(text)
    assert cleaned == text or "\ufffd" in cleaned or "?" in cleaned
    cleaned.encode()


def test_bytes_that_are_no_utf8_become_replacement_characters() -> None:
    assert clean(b"caf\xe9 \xe4\xbd\xa0".decode("utf-8", "surrogateescape")) == "caf\ufffd 你"


@given(st.dictionaries(ANY_TEXT, st.lists(ANY_TEXT)))
def test_any_text_becomes_json(value: dict[str, list[str]]) -> None:
    decoded = msgspec.json.decode(encoded(value))
    assert decoded == {clean(key): [clean(text) for text in texts] for key, texts in value.items()}


@given(st.text(max_size=40), st.integers(0, 30))
def test_padding_is_exact_also_for_wide_characters(text: str, width: int) -> None:
    assert columns(padded(text, width)) == width


def test_a_reader_that_leaves_is_no_error(program: Program) -> None:
    command = program.command("schema")
    with subprocess.Popen(command, env=program.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(program: Program, closed: str) -> None:
    script = f'"{sys.executable}" -m helloclaw config path {closed}'
    done = subprocess.run(["sh", "-c", script], env=program.environ, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_output_in_another_encoding_never_fails(program: Program) -> None:
    done = program("--help", "--lang", "zh", PYTHONIOENCODING="ascii")
    assert (done.code, done.err) == (0, "")


def test_schema_is_a_json_schema_of_events_and_commands(program: Program) -> None:
    schema = json.loads(program("schema").out)
    assert sorted(schema["properties"]) == ["command", "event"]
    assert {"Say", "Cancel", "RoundEnd", "ToolDenied"} <= schema["$defs"].keys()
