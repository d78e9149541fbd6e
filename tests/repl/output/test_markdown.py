"""Markdown as people see it, at 40 columns and without colours; then with them."""

from __future__ import annotations

import pytest

from helloclaw.repl.output.painter import Painter
from helloclaw.repl.output.theme import palette_for

PLAIN = palette_for("auto", {})

SHOWN: dict[str, tuple[str, list[str]]] = {
    "paragraphs": (
        "One line\nand another.\n\n\n\nA second paragraph that is longer than forty columns.\n",
        [
            "One line",
            "and another.",
            "",
            "A second paragraph that is longer than",
            "forty columns.",
        ],
    ),
    "Chinese, whose marks begin no row": (
        "这是一个很长的中文段落，用来检查换行是否正确，标点不会出现在行首。“引号”也一样（括号）。\n",
        [
            "这是一个很长的中文段落，用来检查换行是否",
            "正确，标点不会出现在行首。“引号”也一样",
            "（括号）。",
        ],
    ),
    "emphasis beside Chinese": (
        "**注意：**后面的字，*斜*体，~~删~~除，`码`。\n",
        [
            "注意：后面的字，斜体，删除，码。",
        ],
    ),
    "what is escaped stays": (
        "\\*a\\* \\*\\*b\\*\\* 1\\. &lt;c&gt; &#27;[31m\n",
        [
            "*a* **b** 1. <c> �[31m",
        ],
    ),
    "links and images show where they lead": (
        '[text](http://b.c "t") ![alt](j.png) <http://x.y> [a][1] [同](http://例子.中国/路)\n\n[1]: http://q.r\n',
        [
            "text (http://b.c) alt (j.png) http://x.y",
            "[a][1] 同 (http://例子.中国/路)",
            "",
            "[1]: http://q.r",
        ],
    ),
    "headings": (
        "Title\n=====\n# One #\n## \n#no heading\n####### seven\nSub\n---\n",
        [
            "Title",
            "",
            "One",
            "",
            "#no heading ####### seven Sub",
        ],
    ),
    "a rule": (
        "above\n\n***\nbelow\n",
        [
            "above",
            "",
            "────────────────────────────────────────",
            "",
            "below",
        ],
    ),
    "a list": (
        "- a\n- b\n\n- c that is long enough to go on in a second row\n\n  its second paragraph\n* another list\n",
        [
            "• a",
            "• b",
            "• c that is long enough to go on in a",
            "  second row",
            "",
            "  its second paragraph",
            "",
            "• another list",
        ],
    ),
    "a numbered list": (
        "1. a\n1. b\n5) c\n6) d\n\n1986. a list\nIn\n1987. a paragraph\n",
        [
            "1. a",
            "2. b",
            "",
            "5) c",
            "6) d",
            "",
            "1986. a list",
            "      In",
            "1987. a paragraph",
        ],
    ),
    "nested lists": (
        "1. a\n   - b\n     1. c\n  - d, by two blanks only\n2. e\n- - f\n  - g\n",
        [
            "1. a",
            "   • b",
            "     1. c",
            "   • d, by two blanks only",
            "2. e",
            "",
            "• • f",
            "  • g",
        ],
    ),
    "tasks": (
        "- [x] done\n- [ ] open\n1. [X] numbered\n",
        [
            "☑ done",
            "☐ open",
            "",
            "1. ☑ numbered",
        ],
    ),
    "empty items": (
        "-\n- a\n-\n\nb\n",
        [
            "•",
            "• a",
            "•",
            "",
            "b",
        ],
    ),
    "a list after a paragraph, and a rule after a list": (
        "text\n- a\n---\nb\n",
        [
            "text",
            "",
            "• a",
            "",
            "────────────────────────────────────────",
            "",
            "b",
        ],
    ),
    "a quotation": (
        "> a\nlazy\n>\n> - b\n>\n>   > c\n\nd\n",
        [
            "│ a",
            "│ lazy",
            "│",
            "│ • b",
            "│",
            "│   │ c",
            "",
            "d",
        ],
    ),
    "fenced code": (
        "a\n```py\nif x:\n\n\ty = 1\n```\nb\n~~~\n```\n~~~\n\n````\nnever closed\n```\n",
        [
            "a",
            "",
            "  if x:",
            "",
            "      y = 1",
            "",
            "b",
            "",
            "  ```",
            "",
            "  never closed",
            "  ```",
        ],
    ),
    "code in a list": (
        "1. a\n   ```\n   x\n\n     y\n   ```\n   b\n\n2. c\n",
        [
            "1. a",
            "     x",
            "",
            "       y",
            "   b",
            "2. c",
        ],
    ),
    "code in a quotation": (
        "> ```\n> a\n\nb\n",
        [
            "│   a",
            "",
            "b",
        ],
    ),
    "indented code": (
        "a\n\n    b\n\n      c\n\nd\n    e\n",
        [
            "a",
            "",
            "  b",
            "",
            "    c",
            "",
            "d",
            "e",
        ],
    ),
    "HTML is shown": (
        "<b>x</b> y<br>z <!-- c -->\n\n<details>\n<summary>S</summary>\n\n<!-- a\n\nb -->\nc\n",
        [
            "<b>x</b> y",
            "z <!-- c -->",
            "",
            "<details>",
            "<summary>S</summary>",
            "",
            "<!-- a",
            "",
            "b -->",
            "",
            "c",
        ],
    ),
    "formulas stay": (
        "\\(a_1*b*c\\), \\[x_1\\], $x_1*y*$ cost $5 or $6\n\n$$\na_1\n+ b_1\n$$\n\\[\na*b*\n\\]\nafter\n",
        [
            "\\(a_1*b*c\\), \\[x_1\\], $x_1*y*$ cost $5",
            "or $6",
            "",
            "$$",
            "a_1",
            "+ b_1",
            "$$",
            "",
            "\\[",
            "a*b*",
            "\\]",
            "",
            "after",
        ],
    ),
    "a table": (
        (
            "intro\n"
            "| 名称 | Meaning | n |\n"
            "|---|:-:|--:|\n"
            "| 苹果 | `a \\| b` | 12 |\n"
            "| 梨 | **pear** |\n"
            "last row\n"
            "\n"
            "after\n"
        ),
        [
            "intro",
            "",
            "名称     │ Meaning │  n",
            "─────────┼─────────┼───",
            "苹果     │  a | b  │ 12",
            "梨       │  pear   │",
            "last row │         │",
            "",
            "after",
        ],
    ),
    "a table of one column": (
        "| a |\n|---|\n| b<br>c |\n",
        [
            "a",
            "─",
            "b",
            "c",
        ],
    ),
    "a table that does not fit": (
        "| Name | Meaning |\n|---|---|\n| apple | the fruit that falls not far from its tree |\n| 梨 | 一种水果 |\n",
        [
            "Name: apple",
            "Meaning: the fruit that falls not far",
            "from its tree",
            "",
            "Name: 梨",
            "Meaning: 一种水果",
        ],
    ),
    "no table": (
        "a | b\nc | d\n\n| a |\n|---|---|\n",
        [
            "a | b",
            "c | d",
            "",
            "| a |",
            "|---|---|",
        ],
    ),
    "line ends of Windows": (
        "a\r\n\r\n- b\r\n- c\r\n",
        [
            "a",
            "",
            "• b",
            "• c",
        ],
    ),
    "nesting too deep to show": (
        (
            "- 0\n"
            "  - 1\n"
            "    - 2\n"
            "      - 3\n"
            "        - 4\n"
            "          - 5\n"
            "            - 6\n"
            "              - 7\n"
            "                - 8\n"
            "                  - 9\n"
            "                    - 10\n"
            "                      - 11\n"
            "                        - 12\n"
            "                          - 13\n"
        ),
        [
            "• 0",
            "  • 1",
            "    • 2",
            "      • 3",
            "        • 4",
            "          • 5",
            "            • 6",
            "              • 7",
            "                • 8",
            "                  • 9",
            "                  • 10",
            "                  • 11",
            "                  • 12",
            "                  • 13",
        ],
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_markdown(name: str) -> None:
    source, rows = SHOWN[name]
    assert Painter(40, "none", PLAIN).markdown(source).splitlines() == rows


def test_markdown_in_colour() -> None:
    source = (
        "# One\n\nA **bold** *word*, ~~gone~~, `code` and [a link](https://example.org).\n\n## Two\n- [x] done\n\n"
        "> said\n\n```python\nreturn 'x'  # why\n```\n\n| a |\n|---|\n| 1 |\n"
    )
    assert Painter(60, "16", PLAIN).markdown(source).splitlines() == [
        "\x1b[1;4mOne\x1b[0m",
        "",
        (
            "A \x1b[1mbold\x1b[0m \x1b[3mword\x1b[0m, \x1b[9mgone\x1b[0m, \x1b[36mcode\x1b[0m and "
            "\x1b[4;34ma link\x1b[0m\x1b[2m (https://example.org)\x1b[0m."
        ),
        "",
        "\x1b[1mTwo\x1b[0m",
        "",
        "\x1b[36m☑ \x1b[0mdone",
        "",
        "\x1b[2m│ \x1b[0msaid",
        "",
        "  \x1b[35mreturn\x1b[0m \x1b[32m'x'\x1b[0m  \x1b[2;3m# why\x1b[0m",
        "",
        "\x1b[1ma\x1b[0m",
        "\x1b[2m─\x1b[0m",
        "1",
    ]


def test_marks_that_any_terminal_knows() -> None:
    source = "| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n- [ ] y\n1. [x] z\n\n> q\n\n---\n"
    assert Painter(20, "none", PLAIN, ascii=True).markdown(source).splitlines() == [
        *("a | b", "--+--", "1 | 2", "", "- x", "[ ] y", "", "1. [x] z", "", "| q", "", "--------------------"),
    ]


WIDE_TABLE = (
    "| Name | Meaning | What else there is to say about it |\n|---|---|---|\n"
    "| apple | the fruit that falls not far from its tree | nothing, as everybody knows it well enough |\n"
)


def test_a_wide_terminal_squeezes_a_table_before_it_stacks_it() -> None:
    assert Painter(70, "none", PLAIN).markdown(WIDE_TABLE).splitlines() == [
        "Name  │ Meaning                       │ What else there is to say",
        "      │                               │ about it",
        "──────┼───────────────────────────────┼──────────────────────────────",
        "apple │ the fruit that falls not far  │ nothing, as everybody knows",
        "      │ from its tree                 │ it well enough",
    ]
    assert Painter(60, "none", PLAIN).markdown(WIDE_TABLE).splitlines() == [
        "Name: apple",
        "Meaning: the fruit that falls not far from its tree",
        "What else there is to say about it: nothing, as everybody",
        "knows it well enough",
    ]
