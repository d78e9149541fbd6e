"""The hooks of a session: chains, what each hears, guards that fail, files that change."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from helloclaw.agent.hooks import HookVerdict
from helloclaw.hooks.config import Hook
from helloclaw.hooks.runner import HookReport
from helloclaw.i18n import Phrase
from helloclaw.settings.problems import SettingsError
from helloclaw.tools.base import ToolOutput
from tests.hooks.conftest import Place, call
from tests.hooks.test_run import a_time
from tests.tools.conftest import running, until

CHANGED = (
    ".hooks.json has changed and nobody has trusted it yet; the hooks of before go on. "
    "Look at it, then: helloclaw trust"
)
REWRITE = """printf '{"updatedInput": {"command": "%s 2"}}' "$(sed 's/.*"command": "\\([^"]*\\)".*/\\1/')" """


async def test_without_a_file_nothing_happens(place: Place) -> None:
    runner = place.open()
    assert await runner.before_tool(call(command="ls")) == HookVerdict()
    assert await runner.after_tool(call(command="ls"), ToolOutput(text="a")) == ""
    assert (runner.loaded.state, runner.reports()) == ("none", ())


async def test_each_hears_the_input_as_the_one_before_left_it(place: Place) -> None:
    runner = place.hooks("PreToolUse", REWRITE, "cat >&2; exit 2", REWRITE)
    verdict = await runner.before_tool(call(command="ls"))
    assert verdict.updated_input == {"command": "ls 2 2"}
    assert json.loads(verdict.context)["tool_input"] == {"command": "ls 2"}


async def test_the_first_block_ends_the_chain(place: Place) -> None:
    runner = place.hooks("PreToolUse", "echo seen >&2; exit 2", "echo no >&2; exit 1", "touch third")
    assert await runner.before_tool(call()) == HookVerdict(blocked="no")
    assert not (place.workdir / "third").exists()


async def test_only_those_that_match_run(place: Place) -> None:
    runner = place.hooks("PreToolUse", "exit 1", matcher="write_*|Edit_File")
    assert await runner.before_tool(call("bash", command="ls")) == HookVerdict()
    assert (await runner.before_tool(call("edit_file"))).blocked is not None


async def test_a_hook_may_have_a_person_asked(place: Place) -> None:
    asking = """echo '{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}}'"""
    runner = place.hooks("PreToolUse", asking, "exit 0")
    assert await runner.before_tool(call()) == HookVerdict(ask="sure?")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("exit 7", "failed with exit code 7"),
        ("echo gone >&2; no-such-program", "failed with exit code 127: gone"),
        ("sleep 60", "timed out after 0.4 s"),
        ("""echo '{"updatedInput": 3}'""", "answered what can't be understood: updatedInput is no object"),
    ],
)
async def test_a_guard_that_fails_blocks_and_another_only_warns(place: Place, command: str, why: str) -> None:
    place.write(json.dumps({"hooks": {"PreToolUse": [{"command": command}]}}))
    blocked = await place.open(limit_s=0.4).before_tool(call())
    assert blocked == HookVerdict(blocked=f"The PreToolUse hook `{command}` {why}")
    assert place.told == []
    place.write(json.dumps({"hooks": {"PreToolUse": [{"command": command, "onError": "continue"}]}}))
    assert await place.open(limit_s=0.4).before_tool(call()) == HookVerdict()
    assert place.told == [f"The PreToolUse hook `{command}` {why}"]


async def test_after_a_tool_it_is_too_late_to_block(place: Place) -> None:
    runner = place.hooks("PostToolUse", 'echo "$HOOK_TOOL_OUTPUT!" >&2; exit 2', "echo bad >&2; exit 1", "touch third")
    assert await runner.after_tool(call(), ToolOutput(text="out")) == "out!\nbad"
    assert not (place.workdir / "third").exists()
    failing = place.hooks("PostToolUse", "exit 9")
    assert await failing.after_tool(call(), ToolOutput(text="out")) == ""
    assert place.told == ["The PostToolUse hook `exit 9` failed with exit code 9"]


async def test_a_very_long_output_does_not_stop_a_hook(place: Place) -> None:
    runner = place.hooks("PostToolUse", 'echo "$HOOK_TRUNCATED $(wc -c)" >&2; exit 2')
    said = await runner.after_tool(call("bash", command="x" * 3_000_000), ToolOutput(text="y" * 3_000_000))
    names, _, size = said.rpartition(" ")
    assert (names, int(size) > 6_000_000) == ("HOOK_TOOL_INPUT HOOK_TOOL_OUTPUT", True)


async def test_the_start_is_told_with_the_first_message_and_a_round_with_the_next(place: Place) -> None:
    place.write(
        json.dumps(
            {
                "hooks": {
                    "SessionStart": [{"command": "echo on main >&2; exit 2"}],
                    "UserPromptSubmit": [{"command": "grep -q password && exit 1; echo heard >&2; exit 2"}],
                    "RoundEnd": [{"command": 'echo "$HOOK_TOOL_NAME|$HOOK_TOOL_INPUT" >&2; exit 2'}],
                }
            }
        )
    )
    runner = place.open()
    runner.start()
    assert await runner.before_prompt("hi") == HookVerdict(context="on main\nheard")
    await runner.round_end("end_turn", "hello")
    blocked = await runner.before_prompt("my password is x")
    assert blocked == HookVerdict(blocked="a hook refused it, without a reason")
    round_ = '|{"stop_reason": "end_turn", "last_assistant_text": "hello"}'
    assert await runner.before_prompt("again") == HookVerdict(context=f"{round_}\nheard")
    assert await runner.before_prompt("and again") == HookVerdict(context="heard")


async def test_nothing_outlives_the_session(place: Place) -> None:
    sleep, opening = a_time(), a_time()
    place.write(
        json.dumps(
            {
                "hooks": {
                    "SessionStart": [{"command": f"sleep {opening}"}],
                    "PostToolUse": [{"command": f"setsid sleep {sleep} & exit 0"}],
                    "SessionEnd": [{"command": "touch ended"}],
                }
            }
        )
    )
    runner = place.open()
    runner.start()
    await runner.after_tool(call(), ToolOutput(text=""))
    await until(lambda: running(sleep) and running(opening))
    await runner.close()
    assert (running(sleep), running(opening), (place.workdir / "ended").exists()) == ([], [], True)


async def test_what_is_shown_of_the_runs(place: Place) -> None:
    runner = place.hooks("PreToolUse", "[ $HOOK_TOOL_NAME = bash ]", "exit 3")
    hooks = tuple(
        Hook(event="PreToolUse", command=each, guards=True, line=1) for each in ("[ $HOOK_TOOL_NAME = bash ]", "exit 3")
    )
    assert runner.reports() == tuple(HookReport(hook=hook) for hook in hooks)
    await runner.before_tool(call("bash"))
    await runner.before_tool(call("read_file"))
    first, second = runner.reports()
    assert (first.hook, first.runs, first.blocks, first.failures, first.last) == (hooks[0], 2, 1, 0, 1)
    assert (second.hook, second.runs, second.blocks, second.failures, second.last) == (hooks[1], 1, 0, 1, 3)
    assert 0 <= first.last_ms < 5000


async def test_off_and_on(place: Place) -> None:
    runner = place.hooks("PreToolUse", "exit 1")
    runner.switch(on=False)
    assert (await runner.before_tool(call()), runner.switched_off) == (HookVerdict(), True)
    runner.switch(on=True)
    assert (await runner.before_tool(call())).blocked
    (place.workdir / ".hooks.disabled").touch()
    assert await runner.before_tool(call()) == HookVerdict()
    assert await runner.before_tool(call()) == HookVerdict()
    (place.workdir / ".hooks.disabled").unlink()
    assert (await runner.before_tool(call())).blocked
    assert place.told == [
        "Hooks are off, since there is a .hooks.disabled here; remove it to have them back",
        "Hooks are on: 1 from .hooks.json",
    ]


async def test_an_untrusted_file_runs_nothing_until_it_is_trusted(place: Place) -> None:
    place.trusted = False
    runner = place.hooks("PreToolUse", "touch ran; exit 1")
    runner.start()
    assert await runner.before_tool(call()) == HookVerdict()
    assert (runner.loaded.state, (place.workdir / "ran").exists()) == ("untrusted", False)
    place.trusted = True
    assert await runner.before_prompt("hi") == HookVerdict()
    assert (await runner.before_tool(call())).blocked
    assert place.told == ["Hooks are on: 1 from .hooks.json"]


async def test_a_changed_file_leaves_the_guards_on_until_it_is_trusted(place: Place) -> None:
    runner = place.hooks("PreToolUse", "echo old >&2; exit 1")
    place.trusted = False
    place.write('{"hooks": {}}')
    assert await runner.before_tool(call()) == HookVerdict(blocked="old")
    place.trusted = True
    place.write('{"hooks": {"PreToolUse": [{"command": "echo new >&2; exit 1"}]}}')
    assert await runner.before_tool(call()) == HookVerdict(blocked="new")
    place.write('{"hooks": {"PreToolUse": [{"comand": "x"}]}}')
    assert await runner.before_tool(call()) == HookVerdict(blocked="new")
    (place.workdir / ".hooks.json").unlink()
    assert await runner.before_tool(call()) == HookVerdict()
    assert place.told == [
        CHANGED,
        "Hooks are on: 1 from .hooks.json",
        'hooks: .hooks.json line 1: "comand" means nothing here; did you mean "command"? (the hooks of before go on)',
        ".hooks.json is gone, and its hooks with it",
    ]


async def test_a_trusted_file_that_is_broken_is_an_error_at_the_start(place: Place) -> None:
    place.write('{"hooks": 3}')
    with pytest.raises(SettingsError, match='"hooks" must be an object'):
        place.open()
    place.trusted = False
    assert place.open().loaded.state == "untrusted"


async def test_what_is_no_file_is_not_waited_for(place: Place) -> None:
    os.mkfifo(place.workdir / ".hooks.json")
    with pytest.raises(SettingsError, match="it is no file"):
        place.open()


async def test_reload_reads_again(place: Place) -> None:
    runner = place.hooks("PreToolUse", "exit 1")
    place.write('{"hooks": 3}')
    loaded = runner.reload()
    expected = Phrase("hooks.wrong_type", place=Phrase("place.line", file=".hooks.json", line=1), key="hooks",
                      expected=Phrase("type.object"))  # fmt: skip
    assert (loaded.state, loaded.problem, len(loaded.hooks)) == ("broken", expected, 1)


async def test_a_hook_gets_no_key_of_ours(place: Place, tmp_path: Path) -> None:
    place.write('{"hooks": {"PreToolUse": [{"command": "env >&2; exit 2"}]}}')
    runner = place.open(environ={"ANTHROPIC_API_KEY": "secret-value", "LLM_API_KEY": "secret-value"})
    context = (await runner.before_tool(call())).context
    assert "HOOK_EVENT=PreToolUse" in context
    assert "secret-value" not in context
