"""What the core says in English is said in a person's language: by its code, its kind, or as it stands."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from helloclaw.i18n import Phrase, texts
from helloclaw.llm.events import Failed, FailureKind
from helloclaw.protocol.events import ErrorEvent, LlmFallback, LlmRetry, Notice, Status
from helloclaw.wording.failure import failure_text, notice_text, retry_text

EN, ZH = texts("en"), texts("zh")
HINTED: dict[str, Any] = {"message": "it broke", "hint": "Mend it."}


def coded(phrase: Phrase) -> dict[str, Any]:
    return {"code": phrase.key, "values": phrase.values}


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (
            ErrorEvent(kind="auth", detail="glm · HTTP 401 · no\x1b", **HINTED),
            f"{ZH('failure.auth')}（glm · HTTP 401 · no\\x1b）",
        ),
        (ErrorEvent(kind="auth", **HINTED), ZH("failure.auth")),
        (ErrorEvent(kind="unheard_of", **HINTED), "it broke. Mend it."),
        (ErrorEvent(kind="auth", code="unheard.of", **HINTED), ZH("failure.auth")),
        (
            ErrorEvent(
                kind="storage",
                **HINTED,
                **coded(
                    Phrase("error.unkept", what=Phrase("journal.unwritten", path="/x", why=Phrase("system.ENOSPC")))
                ),
            ),
            "/x：磁盘空间已用完。请腾出空间或让目录可写；此前的内容都在。",
        ),
        (Failed(kind="timeout", detail="glm", **HINTED), f"{ZH('failure.timeout')}（glm）"),
    ],
)
def test_an_error(event: ErrorEvent | Failed, said: str) -> None:
    assert failure_text(event, ZH) == said
    assert failure_text(event, EN) == "it broke. Mend it."


@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_every_kind_of_failure_has_its_words(kind: FailureKind) -> None:
    assert failure_text(Failed(kind=kind, message="x"), ZH) == ZH(f"failure.{kind}")


def test_why_a_model_is_called_again() -> None:
    retry = LlmRetry(attempt=1, limit=3, wait_s=1.0, kind="overloaded", message="it is busy", detail="glm")
    assert (retry_text(retry, ZH), retry_text(retry, EN)) == ("服务过载（glm）", "it is busy")
    fallback = LlmFallback(what="model", before="a", after="b", message="it is busy", detail="glm")
    assert (retry_text(fallback, ZH), retry_text(fallback, EN)) == ("glm", "it is busy")


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (Notice(text="x", code="step_limit", values={"limit": "7"}), "已到模型调用上限：7 次。"),
        (
            Notice(text="x", **coded(Phrase("notice.torn", path="/x", bytes=3))),
            "/x：最后一行因崩溃而不完整，丢弃了其中 3 个字节。",
        ),
        (Notice(text="Something\nnew."), "Something new."),
        (Notice(text="x", code="from.the.future"), "x"),
        (Status(text="x", **coded(Phrase("status.loading", name="m.gguf", size="1.1"))), "正在加载 m.gguf（1.1 GB）…"),
    ],
)
def test_a_notice(event: Notice | Status, said: str) -> None:
    assert notice_text(event, ZH) == said
    assert notice_text(event, EN) == " ".join(event.text.split())
