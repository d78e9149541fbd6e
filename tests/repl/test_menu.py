"""Menus: what keys make of them, how they look at any width, and the real thing in a terminal."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from helloclaw.repl.menu import Choice, Menu, render
from helloclaw.wording.width import columns
from tests.support.terminal_window import DOWN, ENTER, ESC, UP, TerminalWindow

MODES = (
    Choice("default", "default", "asks before it changes anything"),
    Choice("plan", "plan", "only reads"),
    Choice("auto", "auto", "asks only for what is risky"),
)
YES_NO = (Choice(value=True, label="Yes", key="y"), Choice(value=False, label="No", key="n"))
ELEVEN = tuple(Choice(number, f"row {number}") for number in range(1, 12))
MODELS = tuple(
    Choice(name, name, about)
    for name, about in (
        ("qwen3.8-max", "通义千问"),
        ("deepseek-v4-flash", "深度求索"),
        ("qwen3-coder", "写代码"),
        ("claude-sonnet-5-5", ""),
    )
)


def rows(menu: Menu, width: int = 60, height: int = 20, *, ascii: bool = False) -> list[str]:
    return "".join(text for _, text in render(menu, width, height, ascii)).split("\n")


def test_rows_show_number_label_and_explanation() -> None:
    assert rows(Menu(MODES).moved(1)) == [
        "  1. default  asks before it changes anything",
        "❯ 2. plan     only reads",
        "  3. auto     asks only for what is risky",
    ]


def test_without_unicode_the_marks_are_ascii() -> None:
    assert rows(Menu(ELEVEN), height=4, ascii=True) == [">  1. row 1", "   2. row 2", "   3. row 3", "  v 8"]


def test_at_20_columns_explanations_stand_below_and_are_whole() -> None:
    assert rows(Menu(MODES), width=20) == [
        "❯ 1. default",
        "     asks before it",
        "     changes",
        "     anything",
        "  2. plan",
        "     only reads",
        "  3. auto",
        "     asks only for",
        "     what is risky",
    ]


def test_a_label_to_decide_by_is_never_cut() -> None:
    rule = "Always: bash(git -c user.name=someone commit --allow-empty -m 初始提交 --no-verify)"
    shown = rows(Menu((Choice(1, rule),)), width=40)
    assert " ".join(line.strip() for line in shown).replace(" ", "") == f"❯1.{rule}".replace(" ", "")
    assert max(map(columns, shown)) <= 40


def test_a_window_follows_the_cursor_and_counts_what_is_out_of_sight() -> None:
    assert rows(Menu(ELEVEN).jumped(5), height=5) == [
        "  ↑ 4",
        "   5. row 5",
        "❯  6. row 6",
        "   7. row 7",
        "  ↓ 4",
    ]
    assert rows(Menu(ELEVEN).jumped(99), height=3) == ["  ↑ 9", "  10. row 10", "❯ 11. row 11"]


def test_the_cursor_goes_round_and_jumps_stop_at_the_ends() -> None:
    menu = Menu(ELEVEN)
    assert [
        each.cursor
        for each in (menu.moved(-1), menu.moved(-1).moved(1), menu.jumped(-3), menu.jumped(10), menu.jumped(50))
    ] == [10, 0, 0, 10, 10]


def test_letters_choose_at_once() -> None:
    assert [Menu(YES_NO).pressed(key)[1] for key in "yNx"] == [YES_NO[0], YES_NO[1], None]


def test_a_digit_chooses_unless_a_longer_number_may_follow() -> None:
    menu, chosen = Menu(ELEVEN).pressed("1")
    assert (menu.cursor, chosen) == (0, None)
    assert menu.pressed("1")[1] == ELEVEN[10]
    assert menu.pressed("7")[1] == ELEVEN[6]
    assert Menu(ELEVEN).pressed("0") == (Menu(ELEVEN), None)


def test_search_ranks_beginnings_before_parts_before_scattered_letters() -> None:
    found = {query: [each.value for each in Menu(MODELS, searchable=True, query=query).shown] for query in _QUERIES}
    assert found == _QUERIES


_QUERIES = {
    "": ["qwen3.8-max", "deepseek-v4-flash", "qwen3-coder", "claude-sonnet-5-5"],
    "QWEN": ["qwen3.8-max", "qwen3-coder"],
    "代码": ["qwen3-coder"],
    "coder qwen": ["qwen3-coder"],
    "dv4": ["deepseek-v4-flash"],
    "c": ["claude-sonnet-5-5", "qwen3-coder"],
    "zzz": [],
}


def test_a_query_that_nothing_fits_leaves_no_choice() -> None:
    menu = Menu(MODELS, searchable=True, query="zzz")
    assert (menu.at, rows(menu), menu.moved(1).cursor) == (None, ["/ zzz  0/4", "  …"], 0)
    assert menu.erased(whole=True).at == MODELS[0]


def test_searchable_rows_are_one_line_each() -> None:
    menu = Menu(MODELS, searchable=True).typed("qw").moved(1)
    assert rows(menu, width=24) == ["/ qw  2/4", "  qwen3.8-max  通义千问", "❯ qwen3-coder  写代码"]
    assert rows(menu, width=12) == ["/ qw  2/4", "  qwen3.8-m…", "❯ qwen3-cod…"]


def test_nothing_in_a_row_can_steer_the_terminal() -> None:
    assert rows(Menu((Choice(1, "a\x1b[2Jb\nc", "\u202eend"),))) == ["❯ 1. a\\x1b[2Jb c  \\u202eend"]


LABELS = st.text(st.sampled_from("ab 中文。…éก็👍한\t\n\x1b\u202e\ud800"), max_size=30)


@given(
    st.lists(st.builds(Choice, st.none(), LABELS, LABELS), max_size=12),
    st.integers(-20, 20),
    st.booleans(),
    st.text("a中 ", max_size=5),
    st.integers(1, 60),
    st.integers(1, 12),
    st.booleans(),
)
@example([Choice(None, "中中中", "文")], 0, False, "", 1, 1, False)
def test_no_row_is_too_wide_and_no_menu_too_tall(
    choices: list[Choice],
    by: int,
    searchable: bool,
    query: str,
    width: int,
    height: int,
    ascii: bool,
) -> None:
    menu = Menu(tuple(choices), searchable=searchable, query=query if searchable else "").moved(by)
    shown = rows(menu, width, height, ascii=ascii)
    assert max(map(columns, shown)) <= width
    assert len(shown) <= height
    # As the screen's own library counts, which knows more of emoji.
    assert max(map(get_cwidth, shown)) <= width
    # The cursor is in sight, if there is room for its mark.
    if menu.at is not None:
        assert any(row.startswith(">" if ascii else "❯") for row in shown) or width == 1


def run_alone(tmp_path: Path, script: str, *, columns: int = 60, rows: int = 20) -> TerminalWindow:
    program = textwrap.dedent(script)
    return TerminalWindow(
        [sys.executable, "-c", program], cwd=tmp_path, env=dict(os.environ), columns=columns, rows=rows
    )


CHOOSE = """
    import asyncio
    from helloclaw.i18n import texts
    from helloclaw.repl.menu import Choice, Menu, choose
    menu = Menu(tuple(Choice(n, f"row {n}", "about 它") for n in range(1, 21)), searchable=SEARCHABLE)
    print("before")
    print("chosen:", asyncio.run(choose(menu, "Which one?", say=texts("en"))))
"""


def test_choosing_with_arrows_leaves_no_trace(tmp_path: Path) -> None:
    with run_alone(tmp_path, CHOOSE.replace("SEARCHABLE", "False")) as window:
        assert "❯  1. row 1   about 它" in window.until("move · Enter choose")
        window.type(UP)
        window.until("❯ 20. row 20")
        window.type(DOWN + DOWN + "jk" + "\x0e" + ENTER)
        assert window.until("chosen: 3") == "before\nchosen: 3"


def test_searching_takes_letters_and_pastes(tmp_path: Path) -> None:
    with run_alone(tmp_path, CHOOSE.replace("SEARCHABLE", "True")) as window:
        window.until("Which one?")
        window.type("q")
        window.until("/ q  0/20")
        window.type("\x7f\x1b[200~row 17\x1b[201~")
        window.until("/ row 17  1/20")
        window.type(ENTER)
        assert window.until("chosen: 17") == "before\nchosen: 17"


def test_leaving_is_none(tmp_path: Path) -> None:
    for key in (ESC, "q", "\x03", "\x04"):
        with run_alone(tmp_path, CHOOSE.replace("SEARCHABLE", "False")) as window:
            window.until("Which one?")
            window.type(key)
            assert window.until("chosen: None") == "before\nchosen: None"


def test_a_terminal_of_20_columns_and_8_rows(tmp_path: Path) -> None:
    with run_alone(tmp_path, CHOOSE.replace("SEARCHABLE", "False"), columns=20, rows=8) as window:
        assert "❯  1. row 1" in window.until("Which one?")
        window.type("\x1b[F")
        window.until("❯ 20. row 20")
        window.type("2")
        window.until("❯  2. row 2")
        window.type("0")
        window.until("chosen: 20")


def test_a_secret_shows_bullets_only(tmp_path: Path) -> None:
    script = """
        import asyncio
        from helloclaw.repl.menu import ask_text
        secret = asyncio.run(ask_text("Key?", secret=True))
        print("got", len(secret), asyncio.run(ask_text("Name?", default="you")), asyncio.run(ask_text("Left?")))
    """
    with run_alone(tmp_path, script) as window:
        window.until("Key?")
        window.type("sk-秘密")
        window.until("> •••••")
        window.type(ENTER)
        window.until("> you")
        window.type("r" + ENTER)
        window.until("Left?")
        window.type(ESC)
        assert window.until("None") == "got 5 your None"
        assert "sk-" not in window.seen


def test_in_another_application_it_has_its_own_keys(tmp_path: Path) -> None:
    script = """
        import asyncio
        from prompt_toolkit.application import Application
        from prompt_toolkit.layout.containers import HSplit, Window
        from prompt_toolkit.layout.controls import FormattedTextControl
        from prompt_toolkit.layout.layout import Layout
        from helloclaw.repl.menu import Choice, Menu, MenuView
        heard = []
        def on_choice(value):
            heard.append(value)
            if value == "end":
                app.exit()
        menu = Menu((Choice("yes", "Yes", key="y"), Choice("no", "No", key="n"), Choice("end", "End", key="e")))
        view = MenuView(menu, on_choice, title="Question?")
        body = HSplit([Window(FormattedTextControl("around"), height=1), view.container])
        app = Application(layout=Layout(body, focused_element=view.container), key_bindings=view.key_bindings)
        asyncio.run(app.run_async())
        print("heard", *heard, ".")
    """
    with run_alone(tmp_path, script) as window:
        window.until("❯ 1. Yes")
        window.type("nY2q" + UP + ENTER)
        window.until("❯ 1. Yes")
        window.type("e")
        assert "heard no yes no None yes end ." in window.until("end .")


def test_ctrl_c_can_mean_out_instead_of_back(tmp_path: Path) -> None:
    script = """
        import asyncio
        from helloclaw.repl.menu import Choice, Interrupted, Menu, ask_text, choose
        async def ask(question):
            try:
                return await question
            except Interrupted:
                return "out"
        print("menu", asyncio.run(ask(choose(Menu((Choice(1, "one"),)), "Menu?", interruptible=True))))
        print("text", asyncio.run(ask(ask_text("Text?", interruptible=True))), ".")
    """
    with run_alone(tmp_path, script) as window:
        window.until("Menu?")
        window.type("\x03")
        window.until("Text?")
        window.type("\x04")
        assert window.until("text out .") == "menu out\ntext out ."
