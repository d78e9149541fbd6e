"""What the core says in English reaches a Chinese reader in Chinese."""

from __future__ import annotations

from helloclaw.i18n import texts
from helloclaw.protocol.events import Notice
from helloclaw.wording.failure import notice_text
from tests.cli.conftest import Program
from tests.support.model_server import ModelServer, json_answer


def test_an_error_says_what_to_do_in_chinese(talking: Program, server: ModelServer) -> None:
    server.script(json_answer({"error": {"message": "no entry"}}, status=401))
    ended = talking("-p", "hi", "--lang", "zh")
    assert ended.code == 1
    assert ended.err.startswith("错误：API 密钥不被接受。请检查密钥，以及它是否属于这个地址。（")
    assert "no entry" in ended.err
    assert ended.err.count("\n") == 1


def test_a_notice_is_said_by_its_code() -> None:
    notice = Notice(text="The limit of 7 model calls is reached.", code="step_limit", values={"limit": "7"})
    assert notice_text(notice, texts("zh")) == "已到模型调用上限：7 次。"
    assert notice_text(notice, texts("en")) == notice.text
    assert notice_text(Notice(text="Something new."), texts("zh")) == "Something new."
