"""What a hook's end means. An answer can only tighten."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.hooks.answer import SHOWN_CHARS, Answer, spoken, understood
from helloclaw.hooks.run import Run
from helloclaw.i18n import Phrase


def ended(code: int | None, *, out: Any = b"", err: str = "", cut: bool = False) -> Answer:
    stdout = out if isinstance(out, bytes) else json.dumps(out).encode()
    return understood(Run(exit_code=code, stdout=stdout, stderr=err.encode(), cut=cut, limit_s=30.0))


def malformed(what: str) -> Answer:
    return Answer(failed=Phrase("hooks.why.malformed", what=what))


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        (ended(0), Answer()),
        (ended(0, out=b"plain words", err="seen by nobody"), Answer()),
        (ended(1, err="no keys here\n"), Answer(blocked="no keys here")),
        (ended(1, out=b"said on stdout"), Answer(blocked="said on stdout")),
        (ended(1), Answer(blocked="a hook refused it, without a reason")),
        (ended(1, out={"updatedInput": {"a": 1}}, err="no"), Answer(blocked="no")),
        (ended(2, err="mind the gap"), Answer(context="mind the gap")),
        (ended(2, out={"additionalContext": "b"}, err="a"), Answer(context="a\nb")),
        (ended(0, out={"updatedInput": {"command": "ls"}}), Answer(updated_input={"command": "ls"})),
        (ended(0, out=b"\xef\xbb\xbf \n{\"additionalContext\": \"x\"}\n"), Answer(context="x")),
        (ended(0, out={"hookSpecificOutput": {"updatedInput": {}, "additionalContext": "x"}}),
         Answer(updated_input={}, context="x")),
        (ended(0, out=b"{not json"), Answer()),
        (ended(0, out=b"[1]"), Answer()),
        (ended(None), Answer(failed=Phrase("hooks.why.timeout", seconds="30"))),
        (ended(-11), Answer(failed=Phrase("hooks.why.signal", number=11))),
        (ended(127, err="bash: x: command not found\nmore"),
         Answer(failed=Phrase("hooks.why.code_said", code=127, said="bash: x: command not found"))),
        (ended(3), Answer(failed=Phrase("hooks.why.code", code=3))),
        (understood(Run(failure="no such directory")),
         Answer(failed=Phrase("hooks.why.start", why="no such directory"))),
        (ended(0, out={"updatedInput": "ls"}), malformed("updatedInput is no object")),
        (ended(0, out={"additionalContext": 3}), malformed("additionalContext is no text")),
        (ended(0, out={"hookSpecificOutput": "deny"}), malformed("hookSpecificOutput is no object")),
        (ended(0, out={"updatedInput": {"a": 1}}, cut=True), malformed("an object longer than 1024 KB")),
    ],
)  # fmt: skip
def test_an_end_has_one_meaning(answer: Answer, meaning: Answer) -> None:
    assert answer == meaning


def decided(decision: object, **more: object) -> Answer:
    return ended(0, out={"hookSpecificOutput": {"permissionDecision": decision, **more}})


def test_a_decision_tightens_and_never_loosens() -> None:
    unsaid = "a hook says so, without a reason"
    assert decided("deny", permissionDecisionReason="not today") == Answer(blocked="not today")
    assert decided("ask", permissionDecisionReason="sure?") == Answer(ask="sure?")
    assert decided("deny") == Answer(blocked=unsaid)
    assert decided("ask", permissionDecisionReason=7) == Answer(ask=unsaid)
    assert decided("allow") == Answer()
    assert decided("denied") == malformed("permissionDecision is none of deny, ask, allow")
    assert ended(0, out={"decision": "block", "reason": "old form"}) == Answer(blocked="old form")
    assert ended(2, out={"decision": "approve"}, err="noted") == Answer(context="noted")


def test_what_is_said_is_readable_whatever_it_is() -> None:
    assert spoken(b"\x1b[31mred\x1b[0m \xff and \xe4\xbd\xa0\n\n") == "red � and 你"
    assert spoken("中文".encode("gb18030")) == "中文"
    assert spoken(b"a" * 100_000) == "a" * SHOWN_CHARS + "\n[… cut, the hook said more]"


@given(st.sampled_from([0, 1, 2, 3, -9, None]), st.binary(max_size=80), st.binary(max_size=80))
def test_any_output_is_understood_somehow(code: int | None, out: bytes, err: bytes) -> None:
    answer = understood(Run(exit_code=code, stdout=out, stderr=err, seconds=1))
    assert (answer.blocked is not None) >= (code == 1)
    assert (answer.failed is not None) >= (code not in (0, 1, 2))
