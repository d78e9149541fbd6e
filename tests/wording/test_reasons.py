"""Why a call was not run, in English as the event says it and in Chinese by its id."""

from __future__ import annotations

from typing import Any

import pytest

from helloclaw.i18n import texts
from helloclaw.protocol.events import DeniedBy, ToolDenied, Why
from helloclaw.wording.lines import needed_line
from helloclaw.wording.reasons import denial_text, reason_text

EN, ZH = texts("en"), texts("zh")
WHY = Why(id="writes_file", about="a.txt")


def denied(source: DeniedBy, **more: Any) -> ToolDenied:
    given: dict[str, Any] = {"id": "1", "name": "write_file", "input": {"path": "a.txt"}, "reason": "r", "output": "o"}
    return ToolDenied(source=source, **given | more)


def test_a_reason_is_known_by_its_id() -> None:
    assert reason_text("it writes a.txt", WHY, "en") == "it writes a.txt"
    assert reason_text("it writes a.txt", WHY, "zh") == "会写入 a.txt"
    assert reason_text("r", Why(id="from_the_future"), "zh") == "r"
    assert reason_text("r", None, "zh") == "r"


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (denied("permission", why=WHY), "会写入 a.txt"),
        (
            denied("permission", why=WHY, rule="Edit(a.txt)"),
            "会写入 a.txt；这里没有人可问；加上 --allow 'Edit(a.txt)' 可放行",
        ),
        (denied("permission", rule="Edit(a.txt)"), "r"),
        (denied("user", why=WHY), "r"),
        (denied("hook"), "被钩子拦下：r"),
        (denied("timeout"), "没有及时得到答复"),
    ],
)
def test_a_refusal(event: ToolDenied, said: str) -> None:
    assert (denial_text(event, ZH), denial_text(event, EN)) == (said, "r")
    assert needed_line(event, ZH) == f"未运行：write_file(a.txt)：{said}"


def test_a_no_without_a_word() -> None:
    assert needed_line(denied("user", reason=""), ZH) == "未运行：write_file(a.txt)"
