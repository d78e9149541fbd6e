"""Images of a session: in files beside the journal, in the conversation again after a resume, gone with the session."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from helloclaw.agent.attachments import Attachments
from helloclaw.agent.catalog import delete_session
from helloclaw.llm.messages import ImageBlock
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.world import World

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
IN_BASE64 = base64.b64encode(PIXEL).decode()


async def test_an_image_is_kept_beside_the_journal_and_comes_back(world: World, server: ModelServer) -> None:
    (world.workdir / "a.png").write_bytes(PIXEL)
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a.png"}),)), *[Turn(text="seen")] * 3)
    image = ImageBlock(media_type="image/png", data=IN_BASE64)
    async with world.session() as (session, heard):
        await session.turn(Say(text="Look.", images=(image,)))
        original = session.id
    assert heard.of(out.UserMessage)[0].images == heard.of(out.ToolEnd)[0].images == (image,)
    assert IN_BASE64[:40] not in (world.home.sessions / f"{original}.jsonl").read_text()
    (file,) = (world.home.sessions / f"{original}.images").iterdir()
    assert (file.read_bytes(), file.stat().st_mode & 0o777, file.suffix) == (PIXEL, 0o600, ".png")

    sent = str(server.posts[-1].json["messages"]).count(IN_BASE64)
    async with world.session(resume=original) as (session, _):
        await session.turn(Say(text="And now?"))
    assert str(server.posts[-1].json["messages"]).count(IN_BASE64) == sent > 0

    async with world.session(resume=original, fork=True) as (session, _):
        delete_session(world.home, original)
        fork = session.id
    async with world.session(resume=fork) as (session, _):
        await session.turn(Say(text="Still?"))
    assert str(server.posts[-1].json["messages"]).count(IN_BASE64) == sent
    assert [path.name for path in world.home.sessions.glob("*.images")] == [f"{fork}.images"]


@pytest.mark.parametrize("name", ["file:../../secret.png", "file:" + "0" * 64 + ".png"])
def test_a_name_that_leads_nowhere_is_left_out(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.png").write_bytes(PIXEL)
    event = out.UserMessage(text="x", images=(ImageBlock(media_type="image/png", data=name),))
    assert Attachments(tmp_path / "a" / "b").bring_back(event) == out.UserMessage(text="x")


def test_what_is_no_base64_stays_as_it_is(tmp_path: Path) -> None:
    event = out.UserMessage(text="x", images=(ImageBlock(media_type="image/png", data="not base64!"),))
    attachments = Attachments(tmp_path)
    assert attachments.bring_back(attachments.put_away(event)) == event
