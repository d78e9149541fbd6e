"""Each slash command: what it replies, what it asks of the front end, what becomes of the session."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from helloclaw.agent.catalog import journal_path, read_events
from helloclaw.agent.living import living_events
from helloclaw.agent.session import Session
from helloclaw.i18n import Lang, Texts, texts
from helloclaw.llm.messages import ImageBlock
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Rewind, Say
from helloclaw.settings.source import SettingsSource
from helloclaw.slash import base
from helloclaw.slash.base import Reply
from helloclaw.slash.registry import built_in, command_helps, run_line
from helloclaw.storage.paths import Home
from tests.support.exchanges import Gate
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.world import Heard, World


@dataclass
class Front:
    """A front end that only has a session."""

    session: Session
    source: SettingsSource
    home: Home
    say: Texts
    environ: dict[str, str]
    heard: Heard

    async def __call__(self, line: str) -> Reply:
        reply = await run_line(line, self)
        assert reply is not None
        return reply


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def world(tmp_path: Path, server: ModelServer) -> World:
    return World(tmp_path, server)


@asynccontextmanager
async def front(world: World, lang: Any = "en", **changes: Any) -> AsyncGenerator[Front]:
    options = world.options(**changes)
    async with world.session(source=options.source, **changes) as (session, heard):
        yield Front(session, options.source, world.home, texts(lang), world.environ, heard)


PARTS = ("conversation", "usage", "todos")
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


async def idle(session: Session) -> None:
    async with asyncio.timeout(20):
        while session.busy:
            await asyncio.sleep(0.01)


# fmt: off
CONTRACT = frozenset((
    "compact", "clear", "mode", "usage", "cron", "tasks", "team", "inbox", "rules", "prompt", "sections",
    "hooks", "help", "model", "resume", "fork", "rewind", "rename", "export", "context", "memory", "skills",
    "todo", "doctor", "lang", "theme", "exit",
))
# fmt: on


async def test_every_command_of_the_contract_is_there_in_both_languages(world: World) -> None:
    for lang in ("en", "zh"):
        async with front(world, lang) as say:
            helps = command_helps(say)
            assert CONTRACT - {each.name for each in helps} == set()
            assert all(each.about for each in helps)
            listed = (await say("/help")).markdown
            assert [name for name in CONTRACT if f"`/{name}" not in listed] == []


@pytest.mark.parametrize("name", ["team", "inbox"])
async def test_what_is_not_there_yet_says_so(world: World, name: str) -> None:
    async with front(world) as say:
        assert await say(f"/{name}") == Reply(markdown=f"`/{name}` is not in this version yet.")


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("/hlep", "`/hlep` is not a command; did you mean `/help`?"),
        ("/xyzzyx", "`/xyzzyx` is not a command; see `/help`."),
        ("/clear all", "Usage: `/clear [hard]`"),
        ("/rewind soon", "Usage: `/rewind [NUMBER [files]]`"),
        ("/lang fr", "Usage: `/lang [en|zh]`"),
        ("/mode fast", '"fast" is not a mode; there are default, plan, auto'),
        ("/export", "There is nothing to export yet."),
        ("/fork", "There is nothing to copy yet."),
        ("/show x", "Usage: `/show [NUMBER]`"),
        ("/todo now", "Usage: `/todo`"),
        ("/exit now", "Usage: `/exit`"),
        ("/new\twords", "Usage: `/new`"),
        ("/HLEP", "`/HLEP` is not a command; did you mean `/help`?"),
        ("/help modell", "`/modell` is not a command; did you mean `/model`?"),
        ("/`x`", "`/'x'` is not a command; see `/help`."),
    ],
)
async def test_a_line_that_makes_no_sense_is_an_error_and_reaches_no_model(
    world: World, server: ModelServer, line: str, reply: str
) -> None:
    async with front(world) as say:
        assert await say(line) == Reply(markdown=reply, level="error")
    assert server.posts == []


@pytest.mark.parametrize(
    "line", ["/etc/hosts is broken", "/etc/hosts\nis broken", "/", "/ what", "//", "/\u3000", "help", ""]
)
async def test_a_message_that_begins_with_a_path_is_no_command(world: World, line: str) -> None:
    async with front(world) as say:
        assert await run_line(line, say) is None


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("/exit", base.Leave()),
        ("/quit", base.Leave()),
        ("/new", base.NewSession()),
        ("/resume", base.Resume()),
        ("/rewind", base.PickRewind()),
        ("/rewind 7", base.RewindTo(7)),
        ("/rewind 7 files", base.RewindTo(7, files=True)),
        ("/show", base.ShowPart()),
        ("/show 3", base.ShowPart(3)),
        ("/doctor", base.RunDoctor()),
    ],
)
async def test_what_only_a_front_end_can_do(world: World, line: str, effect: base.Effect) -> None:
    async with front(world) as say:
        assert await say(line) == Reply(effect=effect)


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("/hlep", Reply(markdown="没有 `/hlep` 这个命令；你是指 `/help` 吗？", level="error")),
        ("/xyzzyx", Reply(markdown="没有 `/xyzzyx` 这个命令；请看 `/help`。", level="error")),
        ("/clear all", Reply(markdown="用法：`/clear [hard]`", level="error")),
        ("/team", Reply(markdown="这个版本还没有 `/team`。")),
        ("/todo", Reply(markdown="智能体现在没有待办清单。")),
        ("/fork", Reply(markdown="还没有可复制的内容。", level="error")),
        ("/export", Reply(markdown="还没有可导出的内容。", level="error")),
        ("/lang", Reply(markdown="语言：zh")),
        ("/theme", Reply(markdown="配色：auto")),
        ("/theme dark", Reply(markdown="配色：dark", effect=base.SwitchTheme("dark"))),
        ("/lang en", Reply(markdown="From now on in English.", effect=base.SwitchLanguage("en"))),
        ("/model", Reply(markdown="模型：`custom/scripted`", effect=base.PickModel())),
        ("/model another", Reply(markdown="从下一条消息起使用：`another`")),
        ("/rename 茶壶", Reply(markdown="本会话现在叫：茶壶")),
        ("/usage reset", Reply(markdown="重新开始计数。")),
        ("/help quit", Reply(markdown="`/exit` · `/quit`\n\n离开")),
        ("/help inbox", Reply(markdown="`/inbox`\n\n主智能体的收件箱\n\n这个版本还没有 `/inbox`。")),
    ],
)
async def test_replies_in_chinese(world: World, line: str, reply: Reply) -> None:
    async with front(world, "zh") as say:
        assert await say(line) == reply


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("line", ["/help", "/usage", "/context", "/prompt", "/sections", "/rules", "/mode", "/hooks"])
async def test_what_is_shown_is_shown_in_both_languages(world: World, lang: Lang, line: str) -> None:
    async with front(world, lang) as say:
        reply = await say(line)
    assert (reply.level, reply.effect) == ("info", None)
    chinese = re.search(r"[\u3400-\u9fff]", reply.markdown) is not None
    assert chinese == (lang == "zh" and line != "/prompt")  # the prompt is for models


async def test_the_model_in_use_is_told_before_another_is_picked(world: World) -> None:
    async with front(world) as say:
        assert await say("/model") == Reply(markdown="Model: `custom/scripted`", effect=base.PickModel())
        say.source = SettingsSource(world.home, {"HOME": str(world.root), "LLM_MODEL_ID": "nonsense/x"})
        assert await say("/model") == Reply(effect=base.PickModel())


async def test_help_has_a_row_for_each_command_in_groups(world: World) -> None:
    async with front(world) as say:
        shown = (await say("/help")).markdown
    named = re.findall(r"^\*\*(.+)\*\*\n\n\| command \| what it does \|\n\| --- \| --- \|$", shown, re.MULTILINE)
    assert named == ["This conversation", "Choose", "Look", "Not in this version yet", "Skills"]
    names = [*(each.name for each in built_in()), "code-review", "skill-creator"]
    assert re.findall(r"^\| `/([\w-]+)", shown, re.MULTILINE) == names


async def test_what_a_command_did_is_in_the_journal(world: World, server: ModelServer) -> None:
    long = "The quick brown fox jumps over the lazy dog. " * 200
    server.script(Turn(text=long), Turn(text=long), Turn(text="[SILENT]"), Turn(text="SUMMARY"))
    async with front(world) as say:
        for words in ("one", "two"):
            await say.session.turn(Say(text=words))
        await idle(say.session)
        for line in (
            "/mode plan",
            "/rename tea",
            "/compact",
            "/usage reset",
            "/clear",
            "/clear hard",
            "/todo",
            "/help",
        ):
            await say(line)
            await idle(say.session)
        session_id = say.session.id
    kept = [
        line for line in world.journal(session_id)[1:] if line["type"] in {"session_updated", "cleared", "compacted"}
    ]
    told = [{key: value for key, value in line.items() if key in {"type", "mode", "title", *PARTS}} for line in kept]
    assert [line for line in told if line != {"type": "session_updated"}] == [
        {"type": "session_updated", "mode": "plan"},
        {"type": "session_updated", "title": "tea"},
        {"type": "compacted"},
        {"type": "cleared", "usage": True},
        {"type": "cleared", "conversation": True},
        {"type": "cleared", "conversation": True, "usage": True, "todos": True},
    ]


async def test_clear_begins_anew_and_hard_forgets_more(world: World, server: ModelServer) -> None:
    server.script(Turn(text="Hello."), Turn(text="Again."))
    async with front(world) as say:
        await say.session.turn(Say(text="first words"))
        assert await say("/clear") == Reply()
        await idle(say.session)
        assert say.session.usage.output > 0
        await say.session.turn(Say(text="second words"))
        assert "first words" not in str(server.posts[-1].json["messages"])
        await say("/clear hard")
        await idle(say.session)
        assert say.session.usage.output == 0


async def test_the_mode_changes_at_once(world: World) -> None:
    async with front(world) as say:
        assert (await say("/mode plan")).markdown == "mode: plan"
        assert say.session.mode == "plan"
        assert (await say("/mode")).markdown == "mode: plan"


async def test_a_model_is_checked_kept_and_used_for_the_next_message(world: World, server: ModelServer) -> None:
    server.script(Turn(text="One."), Turn(text="Two."))
    async with front(world) as say:
        await say.session.turn(Say(text="hi"))
        assert (await say("/model another")).markdown == "From the next message on: `another`"
        await say.session.turn(Say(text="hi"))
        assert server.posts[-1].json["model"] == "another"
    assert '"model_id": "another"' in world.home.config.read_text()


async def test_a_model_that_means_nothing_changes_nothing(world: World) -> None:
    async with front(world) as say:
        say.source = SettingsSource(world.home, {"HOME": str(world.root / "home")})
        reply = await say("/model depseek/deepseek-chat")
        assert (reply.level, "deepseek" in reply.markdown) == ("error", True)
    assert not world.home.config.exists()


async def test_language_and_theme_are_kept(world: World) -> None:
    async with front(world) as say:
        assert await say("/lang zh") == Reply(markdown="从现在起使用中文。", effect=base.SwitchLanguage("zh"))
        assert (await say("/theme light")).effect == base.SwitchTheme("light")
    written = world.home.config.read_text()
    assert ('"lang": "zh"' in written, '"theme": "light"' in written) == (True, True)


async def test_a_choice_that_cannot_be_kept_counts_and_says_so(world: World) -> None:
    (world.home.cache / "config.lock").mkdir(parents=True)
    async with front(world) as say:
        reply = await say("/lang zh")
        assert reply == Reply(
            markdown="从现在起使用中文。\n\n只在退出前有效，因为无法写入 ~/.helloclaw/config.json：是目录",
            effect=base.SwitchLanguage("zh"),
        )
        told = "Only until you leave, since ~/.helloclaw/config.json could not be written: Is a directory"
        assert (await say("/theme dark")).markdown == f"Colours for: dark\n\n{told}"
        assert say.source.current().ui.theme == "dark"


async def test_while_a_turn_runs(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="Hello."), Turn(text="Slow.", gate=gate))
    async with front(world) as say:
        await say.session.turn(Say(text="first words"))
        await idle(say.session)
        before = say.session.usage
        say.session.send(Say(text="second words"))
        await asyncio.to_thread(gate.reached.wait, 20)
        assert await say("/usage reset") == Reply(
            markdown="Not while a turn is running; say it again when it has ended.", level="error"
        )
        assert (await say("/rename tea")).markdown == "This session is now called: tea"
        gate.open()
        await idle(say.session)
        assert (say.session.title, say.session.usage.output > before.output) == ("tea", True)
        assert (await say("/rename")).markdown == "This session is now called: first words"


async def test_usage_context_prompt_and_sections(world: World, server: ModelServer) -> None:
    server.script(Turn(calls=(Call(name="calculator", input={"expression": "6*7"}),)), Turn(text="42."))
    async with front(world) as say:
        await say.session.turn(Say(text="count"))
        usage = (await say("/usage")).markdown
        total = say.session.usage
        assert (f"| input | {total.input:,} |" in usage, f"| output | {total.output:,} |" in usage) == (True, True)
        context = (await say("/context")).markdown
        assert [
            part for part in ("system prompt", "tools", "your messages", "tool results") if part not in context
        ] == []
        prompt = (await say("/prompt")).markdown
        assert server.posts[-1].json["messages"][0]["content"] in prompt
        assert "characters" in (await say("/sections")).markdown
        await idle(say.session)
        assert (await say("/usage reset")).markdown == "Counting starts anew."
        await idle(say.session)
        assert say.session.usage.output == 0


async def test_rules_name_where_they_come_from(world: World) -> None:
    world.home.root.mkdir(parents=True)
    world.home.config.write_text('{"permissions": {"deny": ["Bash(curl:*)"]}}')
    async with front(world, allow=("Bash(ls:*)",)) as say:
        shown = (await say("/rules")).markdown
    assert "* **denied** `Bash(curl:*)` — your settings" in shown
    assert "* **allowed** `Bash(ls:*)` — the command line" in shown


async def test_todo(world: World, server: ModelServer) -> None:
    items = [{"content": "写测试", "status": "in_progress", "activeForm": "正在写测试"}]
    server.script(Turn(calls=(Call(name="TodoWrite", input={"items": items}),)), Turn(text="Noted."))
    async with front(world) as say:
        assert (await say("/todo")).markdown == "The agent has no to-do list now."
        await say.session.turn(Say(text="plan"))
        assert (await say("/todo")).markdown == "* ▶ 写测试"


async def test_rename_fork_and_resume_by_words(world: World, server: ModelServer) -> None:
    server.script(Turn(text="Hello."), Turn(text="Hello."))
    async with front(world) as say:
        await say.session.turn(Say(text="about the teapot"))
        assert (await say("/fork")).effect == base.Fork()
        assert (await say("/rename 茶壶 \x1b[31m")).markdown == "This session is now called: 茶壶 \\x1b\\[31m"
        first = say.session.id
    async with front(world) as say:
        await say.session.turn(Say(text="something else"))
        assert (await say("/resume 茶壶")).effect == base.Resume(first)
        assert (await say(f"/resume {first[:6]}")).effect == base.Resume(first)
        assert (await say("/resume teapot")).effect == base.Resume(first)
        assert (await say("/resume nothing-like-it")).level == "error"


async def test_sessions_with_the_same_words_are_listed(world: World, server: ModelServer) -> None:
    server.script(*[Turn(text="About a teapot.")] * 4)
    ids: list[str] = []
    for words in ("one", "two", "three"):
        async with front(world) as say:
            await say.session.turn(Say(text=words))
            ids.append(say.session.id)
    async with front(world) as say:
        await say.session.turn(Say(text="teapot about"))
        rows = f"* `{ids[2]}` three\n* `{ids[1]}` two\n* `{ids[0]}` one"
        told = f"3 sessions fit; `/resume ID` takes one:\n\n{rows}"
        assert await say("/resume TEAPOT about") == Reply(markdown=told)


async def test_compact_asks_for_a_summary(world: World, server: ModelServer) -> None:
    long = "The quick brown fox jumps over the lazy dog. " * 200
    server.script(Turn(text=long), Turn(text=long), Turn(text="[SILENT]"), Turn(text="SUMMARY"))
    async with front(world) as say:
        await say.session.turn(Say(text="one"))
        await say.session.turn(Say(text="two"))
        await say("/compact the fox")
        await idle(say.session)
        assert len(say.heard.of(out.Compacted)) == 1


async def test_an_export_writes_over_nothing(world: World, server: ModelServer) -> None:
    server.script(Turn(text="**Hello** `<b>`"))
    async with front(world) as say:
        await say.session.turn(Say(text="greet me"))
        for line in ("/export talk.md", "/export talk.md", "/export page.html", "/export raw jsonl", "/export"):
            assert (await say(line)).level == "info"
        named = f"helloclaw-{say.session.id}.md"
        assert (await say("/export no/such/place.md")).level == "error"
        for name in (".", "..", "/", "~nobody-at-all/x"):
            told = f"{name} can't be a file's name; give one, such as /export talk.md"
            assert await say(f"/export {name}") == Reply(markdown=told, level="error")
    names = sorted(path.name for path in world.workdir.iterdir())
    assert names == sorted(["talk.md", "talk-2.md", "page.html", "raw.jsonl", named])
    assert {oct(path.stat().st_mode & 0o777) for path in world.workdir.iterdir()} == {"0o600"}
    assert "**Hello** `<b>`" in (world.workdir / "talk.md").read_text()
    page = (world.workdir / "page.html").read_text()
    assert ("<b>" not in page, "default-src 'none'" in page) == (True, True)


async def test_an_export_has_all_that_counts_and_its_pictures(world: World, server: ModelServer) -> None:
    png = base64.b64encode(base64.b64decode(PIXEL)).decode()
    server.script(Turn(text="A dot."), Turn(text="Gone."))
    async with front(world, "zh") as say:
        await say.session.turn(Say(text="看图", images=(ImageBlock(media_type="image/png", data=png),)))
        await say.session.turn(Say(text="take this back"))
        await idle(say.session)
        point = say.session.rewind_points()[-1]
        say.session.send(Rewind(to=point.seq))
        await idle(say.session)
        for line in ("/export all.jsonl", "/export page.html", "/export 'with spaces.md'"):
            path = world.workdir / line.removeprefix("/export ").strip("'")
            assert await say(line) == Reply(markdown=f"已写入 `{path}`")
        past = living_events(read_events(journal_path(world.home, say.session.id)))
    lines = (world.workdir / "all.jsonl").read_text().splitlines()
    assert [msgspec.json.decode(line, type=out.Event) for line in lines] == past
    page, text = ((world.workdir / name).read_text() for name in ("page.html", "with spaces.md"))
    assert f'src="data:image/png;base64,{png}"' in page
    assert text.startswith("# 看图\n\n20")
    assert [("take this back" in each, "A dot." in each) for each in (page, text)] == [(False, True)] * 2


async def test_an_export_goes_to_the_directory_of_the_session(world: World, server: ModelServer) -> None:
    (world.workdir / "sub").mkdir()
    server.script(Turn(calls=(Call(name="bash", input={"command": "cd sub"}),)), Turn(text="There."))
    async with front(world, allow=("Bash(cd:*)",)) as say:
        await say.session.turn(Say(text="go"))
        assert say.session.cwd == world.workdir / "sub"
        named = world.workdir / f"helloclaw-{say.session.id}.html"
        assert await say("/export html") == Reply(markdown=f"Written to `{named}`")
        assert named.exists()


def test_names_are_unique() -> None:
    names = [name for command in built_in() for name in (command.name, *command.aliases)]
    assert len(names) == len(set(names))
