"""What the doctor finds, each with the next step."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import helloclaw
from helloclaw.doctor.check import Check
from helloclaw.doctor.checks import run_checks
from helloclaw.i18n import Phrase
from helloclaw.settings.source import SettingsSource
from helloclaw.settings.trust import trust
from tests.support.model_server import ModelServer, Turn, json_answer
from tests.support.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with ModelServer() as server:
        yield World(tmp_path, server, more={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"})


async def look(world: World, **environ: str) -> list[Check]:
    said = world.environ | environ
    return [check async for check in run_checks(SettingsSource(world.home, said), world.home, said, world.workdir)]


async def found(world: World, name: str, **environ: str) -> list[Check]:
    return [check for check in await look(world, **environ) if check.name == name]


def config(world: World, text: str, mode: int = 0o600) -> None:
    world.home.root.mkdir(parents=True, exist_ok=True)
    world.home.config.write_text(text)
    world.home.config.chmod(mode)


def states(checks: list[Check]) -> list[str]:
    return [check.state for check in checks]


async def test_on_a_good_day_nothing_fails_and_nothing_is_left_behind(world: World) -> None:
    checks = await look(world)
    assert list(dict.fromkeys(check.name for check in checks)) == [
        "version",
        "settings",
        "home",
        "model",
        "embedded",
        "sandbox",
        "locks",
        "sessions",
        "terminal",
        "encoding",
        "search",
        "git",
        "shell",
        "trust",
    ]
    assert {check.state for check in checks} <= {"ok", "off", "warn"}
    assert not world.home.root.exists()


async def test_settings_are_told_with_their_sources_and_keys_are_not(world: World) -> None:
    config(world, '{\n  "llm": {"timeout_s": 5}\n}')
    (check,) = await found(world, "settings")
    rows = [
        "llm.api_key = ••• ← LLM_API_KEY",
        f"llm.base_url = {world.server.base_url}/v1 ← LLM_BASE_URL",
        "llm.model_id = scripted ← LLM_MODEL_ID",
        "llm.timeout_s = 5.0 ← ~/.helloclaw/config.json:2",
    ]
    assert check == Check(name="settings", state="ok", what=Phrase("doctor.settings.some", rows="\n".join(rows)))


async def test_who_calls_is_not_told(world: World) -> None:
    address = world.server.base_url
    url = f"{address.replace('://', '://me:hunter2@')}/v1"
    checks = await look(world, LLM_BASE_URL=url)
    (settings,) = [check for check in checks if check.name == "settings"]
    assert f"llm.base_url = {address}/v1 ← LLM_BASE_URL" in str(settings.what.fields["rows"]).splitlines()
    assert [check for check in checks if "hunter2" in repr(check)] == []


async def test_a_broken_config_is_named_with_its_line(world: World) -> None:
    config(world, '{\n  "llm": {\n    "timeout_s" 5\n  }\n}')
    checks = await look(world)
    (check,) = [each for each in checks if each.name == "settings"]
    assert (check.state, check.fix) == ("fail", Phrase("doctor.settings.fix"))
    assert check.what.fields["place"] == Phrase("place.line", file="~/.helloclaw/config.json", line=3)
    assert states([each for each in checks if each.name == "model"]) == ["off"]


async def test_a_config_that_others_can_read(world: World) -> None:
    config(world, "{}", mode=0o644)
    assert (await found(world, "settings"))[1] == Check(
        name="settings",
        state="warn",
        what=Phrase("doctor.settings.exposed", path="~/.helloclaw/config.json", mode="0644"),
        fix=Phrase("doctor.settings.exposed.fix", command=f"chmod 600 {world.home.config}"),
    )


async def test_a_home_that_is_a_file(world: World) -> None:
    world.home.root.parent.mkdir()
    world.home.root.write_text("")
    (check,) = await found(world, "home")
    assert (check.state, check.fix) == ("fail", Phrase("doctor.home.file.fix"))


async def test_a_home_that_cannot_be_written(world: World) -> None:
    # `/proc` refuses also root.
    said = {**world.environ, "HELLOCLAW_HOME": "/proc/helloclaw"}
    home = world.home.__class__(Path("/proc/helloclaw"))
    checks = [check async for check in run_checks(SettingsSource(home, said), home, said, world.workdir)]
    assert {check.name: check.state for check in checks if check.name in {"home", "locks"}} == {
        "home": "fail",
        "locks": "fail",
    }
    fixes = [check.fix for check in checks if check.name == "home"]
    assert fixes == [Phrase("doctor.home.unwritable.fix", path="/proc")]


async def test_a_model_that_answers(world: World) -> None:
    (check,) = await found(world, "model")
    assert (check.state, check.what.key) == ("ok", "doctor.model.listed")


async def test_a_wrong_key(world: World) -> None:
    world.server.models_answer = json_answer({"error": {"message": "invalid api key"}}, status=401)
    (check,) = await found(world, "model")
    assert check.state == "fail"
    assert "HTTP 401" in str(check.what.fields["detail"])
    assert check.fix is not None


async def test_no_key_at_all(world: World) -> None:
    no_model = {"LLM_MODEL_ID": "deepseek/x", "LLM_API_KEY": "", "LLM_BASE_URL": ""}
    (check,) = await found(world, "model", **no_model)
    assert (check.state, "DEEPSEEK_API_KEY" in str(check.fix)) == ("fail", True)


async def test_a_model_out_of_reach(world: World) -> None:
    (check,) = await found(world, "model", LLM_BASE_URL="http://127.0.0.1:9/v1")
    assert (check.state, "127.0.0.1:9" in str(check.what)) == ("fail", True)


async def test_a_model_that_the_server_does_not_list(world: World) -> None:
    world.server.models = ["scripted-2", "other"]
    (check,) = await found(world, "model")
    assert (check.state, check.what.key) == ("warn", "doctor.model.unlisted")
    assert check.fix == Phrase("doctor.model.unlisted.fix", near="scripted-2")


async def test_a_server_without_a_list_is_asked_a_few_words(world: World) -> None:
    world.server.models_answer = json_answer({"error": "not found"}, status=404)
    world.server.script(Turn(text="claw"))
    (check,) = await found(world, "model")
    assert (check.state, check.what.key) == ("ok", "doctor.model.answers")


async def test_damaged_sessions_are_counted(world: World) -> None:
    end, _ = await _turn(world)
    assert end == "done"
    (journal,) = world.home.sessions.glob("*.jsonl")
    (check,) = await found(world, "sessions")
    assert check.what == Phrase("doctor.sessions.ok", count=1, looked_at=1)
    journal.write_bytes(journal.read_bytes() + b"torn}\n{}\n")
    (check,) = await found(world, "sessions")
    assert (check.state, check.what) == ("warn", Phrase("doctor.sessions.damaged", count=1, names=journal.name))


async def test_a_fifo_among_the_sessions_is_not_waited_for(world: World) -> None:
    world.home.sessions.mkdir(parents=True)
    os.mkfifo(world.home.sessions / "x.jsonl")
    assert states(await found(world, "sessions")) == ["warn"]


async def test_what_an_untrusted_directory_brings(world: World) -> None:
    (world.workdir / ".hooks.json").write_text("{}")
    (check,) = await found(world, "trust")
    assert check == Check(
        name="trust",
        state="off",
        what=Phrase("doctor.trust.no", names=".hooks.json"),
        fix=Phrase("doctor.trust.fix"),
    )
    trust(world.home, world.workdir)
    assert (await found(world, "trust"))[0].what == Phrase("doctor.trust.yes")


async def test_a_locale_that_is_not_utf8_is_told(world: World) -> None:
    (check,) = await found(world, "encoding", LC_ALL="POSIX")
    assert check.what.fields["locale"] == "POSIX"


async def _turn(world: World) -> tuple[str, object]:
    world.server.script(Turn(text="hi"))
    end, heard = await world.turn("hello")
    return end.reason, heard


def test_programs_that_are_missing_come_with_what_to_install(tmp_path: Path) -> None:
    """An interpreter of its own, beside which there is no `rg`, and a `PATH` with nothing on it."""
    import sys
    import sysconfig

    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    environ = {
        "HOME": str(tmp_path),
        "PATH": str(tmp_path),
        "PYTHONPATH": f"{Path(helloclaw.__file__).parents[1]}:{sysconfig.get_path('purelib')}",
    }
    command = [str(tmp_path / "bare" / "bin" / "python"), "-m", "helloclaw", "doctor", "--json", "--lang", "en"]
    done = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, check=False)
    told = {row["name"]: row for row in msgspec.json.decode(done.stdout)}
    assert done.returncode == 1
    assert [told[name]["state"] for name in ("search", "git", "shell")] == ["fail", "warn", "fail"]
    assert "rg is on PATH" in told["search"]["fix"]
