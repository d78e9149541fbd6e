"""The grammars themselves; that llama.cpp keeps to them is seen in `test_model`."""

from __future__ import annotations

from helloclaw.llm.local.grammar import call_grammar
from helloclaw.llm.messages import ToolSpec


def rules(**schema: object) -> list[str]:
    return call_grammar([ToolSpec(name="t", description="", input_schema=dict(schema))]).splitlines()[:2]


def test_required_arguments_in_their_order() -> None:
    assert rules(
        properties={"b": {"type": "string"}, "content": {"type": "string"}, "n": {"type": "integer"}, "x": {}},
        required=["n", "b", "content"],
    ) == [
        "root ::= call-0",
        (
            r'call-0 ::= "{\"name\": \"t\", \"arguments\": {"'
            r' "\"n\": " integer ", \"b\": " filled ", \"content\": " string "}}"'
        ),
    ]


def test_where_nothing_is_required_one_may_be_given() -> None:
    assert rules(properties={"mode": {"enum": ["a", 1]}, "all": {"type": "boolean"}})[1] == (
        r'call-0 ::= "{\"name\": \"t\", \"arguments\": {" ("\"mode\": " ("\"a\"" | "1") | "\"all\": " boolean)? "}}"'
    )


def test_unknown_kinds_are_any_value() -> None:
    assert rules(properties={"v": {"anyOf": []}, "w": True}, required=["v", "w", "missing"])[1] == (
        r'call-0 ::= "{\"name\": \"t\", \"arguments\": {" "\"v\": " value ", \"w\": " value "}}"'
    )


def test_no_arguments_at_all() -> None:
    assert rules()[1] == r'call-0 ::= "{\"name\": \"t\", \"arguments\": {" "}}"'


def test_latin_keeps_chinese_out_of_strings() -> None:
    tool = ToolSpec(name="t", description="", input_schema={})
    assert r'char ::= [^"\\\x7F\x00-\x1F] | "\\" escaped' in call_grammar([tool]).splitlines()
    latin = call_grammar([tool], latin=True).splitlines()
    assert r'char ::= [^"\\\x7F\x00-\x1F\u3000-\u9FFF\uFF00-\uFFEF] | "\\" escaped' in latin
