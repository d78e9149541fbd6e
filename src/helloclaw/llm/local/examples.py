"""Worked examples for the small model: data. Both languages, calls and plain answers in turn, results as our tools give
them. Each is there for a failure that was measured without it.
"""

from __future__ import annotations

from helloclaw.llm.local.conversation import Step, Turn
from helloclaw.llm.messages import ToolCall


def _step(result: str, name: str, **arguments: str) -> Step:
    return Step(call=ToolCall(id="", name=name, input=dict(arguments)), result=result)


EXAMPLES: tuple[Turn, ...] = (
    Turn(
        request="What does app.ini say about the port?",
        steps=(_step("host = local\nport = 80", "read_file", path="app.ini"),),
        answer="app.ini says: port = 80.",
    ),
    Turn(request="《红楼梦》是谁写的？", answer="《红楼梦》是曹雪芹写的。"),
    Turn(
        request="把 清单.txt 里的 茶 改成 牛奶",
        steps=(
            _step("买茶\n打电话", "read_file", path="清单.txt"),
            _step(
                "Edited 清单.txt: 1 replacement, at line 1",
                "edit_file",
                path="清单.txt",
                old_text="买茶",
                new_text="买牛奶",
            ),
        ),
        answer="已把 清单.txt 里的 茶 改成 牛奶。",
    ),
    Turn(request="How do I sort a list in Python?", answer="Use sorted(items)."),
    Turn(
        request="Write t.py that prints 2 + 2, and run it.",
        steps=(
            _step("Created t.py (1 line)", "write_file", path="t.py", content="print(2 + 2)\n"),
            _step("4", "bash", command="python3 t.py"),
        ),
        answer="I wrote t.py and ran it. It printed 4.",
    ),
    Turn(
        request="哪个文件用到了 login？",
        steps=(_step("src/a.py:3:    login()", "search_content", pattern="login"),),
        answer="src/a.py 用到了 login（第 3 行）。",
    ),
    Turn(request="写一句关于雨的诗", answer="细雨无声，润了一城春色。"),
    Turn(
        request="计算 年龄.txt 里数字的平均值",
        steps=(_step("31.5", "bash", command="awk '{s += $1} END {print s / NR}' 年龄.txt"),),
        answer="平均值是 31.5。",
    ),
    Turn(
        request="在 shop.md 末尾加一行 eggs",
        steps=(_step("(no output)", "bash", command="echo 'eggs' >> shop.md"),),
        answer="已在 shop.md 末尾加上 eggs。",
    ),
    Turn(
        request="Show me what is in docs.",
        steps=(_step("faq.md\nintro.md", "bash", command="ls docs"),),
        answer="docs contains faq.md and intro.md.",
    ),
)
