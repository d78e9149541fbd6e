"""What of an answer is final when, and what can be seen of the rest."""

from __future__ import annotations

from helloclaw.repl.output.answer_stream import AnswerStream
from helloclaw.repl.output.painter import Painter
from helloclaw.repl.output.theme import palette_for


def stream(width: int = 40) -> AnswerStream:
    return AnswerStream(Painter(width, "none", palette_for("auto", {})))


def added(answer: AnswerStream, *deltas: str) -> list[str]:
    return [answer.add(delta) for delta in deltas]


def test_a_paragraph_is_final_at_its_end() -> None:
    answer = stream()
    assert added(answer, "One **li", "ne** and\nan", "other.\n", "\n", "Next") == [
        "",
        "",
        "",
        "One line and\nanother.\n",
        "",
    ]
    assert answer.end() == "\nNext\n"


def test_items_are_final_one_by_one() -> None:
    answer = stream()
    assert added(answer, "1. one\n", "2. two\n", "   - in two\n", "3. ", "three\n") == [
        "",
        "1. one\n",
        "2. two\n",
        "",
        "   • in two\n",
    ]
    assert answer.end() == "3. three\n"


def test_code_is_final_line_by_line_also_within_lists() -> None:
    answer = stream()
    assert added(answer, "- a\n  ```\n", "  x\n", "\n", "  y\n", "  ```\n", "- b\n") == [
        "• a\n",
        "    x\n",
        "",
        "\n    y\n",
        "",
        "",
    ]
    assert answer.end() == "• b\n"


def test_a_table_is_final_at_its_end_and_its_last_rows_can_be_seen() -> None:
    answer = stream()
    assert added(answer, "| a | b |\n|---|---|\n", *(f"| {n} | x |\n" for n in range(30)), "| not wh") == [""] * 32
    assert answer.tail(3) == "27 │ x\n28 │ x\n29 │ x"
    rows = answer.add("ole |\n\n").splitlines()
    assert (rows[0], len(rows), rows[-1]) == ("a         │ b", 33, "not whole │")


def test_the_tail_shows_the_open_end_as_it_will_be() -> None:
    answer = stream()
    assert answer.tail(5) == ""
    answer.add("First.\n\nA paragraph that goes on **and on and")
    assert answer.tail(5) == "\nA paragraph that goes on **and on and"
    answer.add(" on** for rows.\n\n- it")
    assert answer.tail(5) == "\n• it"
    answer.add("em\n\n```py\nfor x in")
    assert answer.tail(5) == "\n  for x in"
    assert answer.tail(0) == ""


def test_marks_that_may_become_anything_are_not_shown_yet() -> None:
    answer = stream()
    answer.add("text\n\n``")
    assert answer.tail(5) == ""
    answer.add("`py\n")
    assert answer.tail(5) == ""
    answer.add("pass\n``")
    assert answer.tail(5) == ""
    assert answer.end() == "  ``\n"


def test_the_tail_is_cut_to_its_last_rows() -> None:
    answer = stream(20)
    answer.add("some words " * 20)
    assert answer.tail(2) == "some words some\nwords"


def test_what_is_open_follows_a_new_width() -> None:
    painter = Painter(40, "none", palette_for("auto", {}))
    answer = AnswerStream(painter)
    answer.add("A paragraph of thirty-one columns")
    assert answer.tail(5) == "A paragraph of thirty-one columns"
    painter.resize(20)
    assert answer.tail(5) == "A paragraph of\nthirty-one columns"
    assert answer.end() == "A paragraph of\nthirty-one columns\n"
