"""The agent's name out of IDENTITY.md."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.i18n import Lang
from helloclaw.workspace.making import template
from helloclaw.workspace.name import LONGEST_NAME, established


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("**名称：** 小爪（Claw）", "小爪（Claw）"),
        ("**名称:** 小爪", "小爪"),
        ("**名称**：小爪", "小爪"),
        ("- **名称：**小爪", "小爪"),
        ("名称：小爪", "小爪"),
        ("- 名字：小爪 🐾", "小爪 🐾"),
        ("**Name:** Claw", "Claw"),
        ("- **Name:** Claw", "Claw"),
        ("- Name: Claw", "Claw"),
        ("* **Name**: **Claw**", "Claw"),
        ("  + name：Claw", "Claw"),
        ("__Name:__ Claw", "Claw"),
        ('Name: "Claw the First"', "Claw the First"),
        ("**名称：** “小爪”", "小爪"),
        ("- **Name:**\n  Claw\n- **Kind:** cat", "Claw"),
        ("# Who I am\r\n\r\n- **Name:** Claw\r\n- **Kind:** cat\r\n".replace("\r\n", "\n"), "Claw"),
        ("- Name: _(pick one)_\n- Name: Claw", "Claw"),
        ("**Name:** 7", "7"),
        ("**Name:** Fam\U0001f468\u200d\U0001f469\u200d\U0001f467", "Fam\U0001f468\u200d\U0001f469\u200d\U0001f467"),
        ("**Name:** Cl\x1b[31maw\u202e", "Cl [31maw"),
        ("**Name:** Nona", "Nona"),
        ("**Name:** Tod", "Tod"),
    ],
)
def test_a_name(text: str, name: str) -> None:
    assert established(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Who I am\n",
        "**名称：**",
        "**名称：**\n**物种：** 猫",
        "- **Name:**\n- **Kind:** a cat",
        "- **Name:**\n\n  A paragraph about something.",
        "**Name:** ** **",
        "**名称：** _（一起选一个）_",
        "**名称：** _小爪",
        "**名称：** 选一个你喜欢的",
        "**名称：** （待定）",
        "**Name:** (something short)",
        "**Name:** pick one",
        "**Name:** Pick something you like",
        "**Name:** TBD",
        "**Name:** tbd.",
        "**Name:** <name>",
        "**Name:** {{name}}",
        "**Name:** [your name here]",
        "**Name:** ...",
        "**Name:** ？",
        "**Name:** \u200b\u2060",
        "**Name:** N/A",
        "**名称：** 暂无",
        "My Name: Claw",
        "Namespace: claw",
        "Name Claw",
        "<!-- **Name:** Claw -->",
        "<!--\n- **Name:** Claw\n",
    ],
)
def test_no_name(text: str) -> None:
    assert established(text) is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_template_gives_no_name_until_its_placeholder_is_replaced(language: Lang) -> None:
    text = template("IDENTITY.md", language)
    assert established(text) is None
    placeholder = {"en": "_(pick one together)_", "zh": "_（一起选一个）_"}[language]
    assert established(text.replace(placeholder, "小爪（Claw）")) == "小爪（Claw）"
    assert established(text.replace(f"** {placeholder}", "**Claw")) == "Claw"


@given(st.text(max_size=300))
def test_whatever_it_is_it_fits_into_a_line(value: str) -> None:
    name = established(f"**Name:** {value}")
    assert name is None or (0 < len(name) <= LONGEST_NAME and name == name.strip() and len(name.splitlines()) == 1)


@given(st.text(alphabet="*_-: ：\n\tnameNAME名称(（<>![]", max_size=200))
def test_any_text_is_understood_at_once(text: str) -> None:
    name = established(text)
    assert name is None or not name.startswith("_")
