"""Checks as rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helloclaw.doctor.check import Check
from helloclaw.doctor.words import check_rows, check_value
from helloclaw.i18n import Phrase, texts
from helloclaw.wording.width import columns

TRUST = Check(
    name="trust",
    state="off",
    what=Phrase("doctor.trust.no", names=".env, .hooks.json"),
    fix=Phrase("doctor.trust.fix"),
)


def test_rows_are_aligned_in_both_languages() -> None:
    git = Check(name="git", state="ok", what=Phrase("doctor.program", told="git 2", path="/bin/git"))
    assert [*check_rows(git, texts("en"), 100), *check_rows(TRUST, texts("en"), 100)] == [
        "✓ git        git 2 (/bin/git)",
        "– trust      this directory is not trusted, so these don't count: .env, .hooks.json",
        "             → If you know where they come from: helloclaw trust",
    ]
    assert [*check_rows(git, texts("zh"), 80), *check_rows(TRUST, texts("zh"), 80)] == [
        "✓ git 程序  git 2（/bin/git）",
        "– 信任      未信任这个目录，因此这些不生效：.env, .hooks.json",
        "            → 如果你知道它们的来历：helloclaw trust",
    ]


def test_at_40_columns_the_name_has_a_row_of_its_own() -> None:
    assert check_rows(TRUST, texts("en"), 40, plain=True) == [
        "- trust",
        "  this directory is not trusted, so",
        "  these don't count: .env, .hooks.json",
        "  > If you know where they come from:",
        "    helloclaw trust",
    ]


def test_values_for_json_are_spoken() -> None:
    assert check_value(TRUST, texts("en")) == {
        "name": "trust",
        "state": "off",
        "what": "this directory is not trusted, so these don't count: .env, .hooks.json",
        "fix": "If you know where they come from: helloclaw trust",
    }


@given(st.text(max_size=200), st.integers(20, 120), st.sampled_from(["en", "zh"]), st.booleans())
def test_no_row_is_wider_than_the_terminal_or_steers_it(text: str, width: int, lang: str, plain: bool) -> None:
    what = Phrase("doctor.broke", error=text)
    check = Check(name="model", state="fail", what=what, fix=what)
    rows = check_rows(check, texts("zh" if lang == "zh" else "en"), width, plain=plain)
    assert max(map(columns, rows)) <= width
    assert not any(ord(char) < 32 for row in rows for char in row)
