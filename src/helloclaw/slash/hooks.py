"""`/hooks`: which hooks count, what each has done in this session, and switching them."""

from __future__ import annotations

from helloclaw.hooks.runner import HookReport, HookRunner
from helloclaw.i18n import Phrase, Texts
from helloclaw.slash.base import BadArgument, Host, Reply, SlashCommand
from helloclaw.wording.plain import one_line

_WORDS = ("list", "on", "off", "reload")
_SHOWN_CHARS = 60


async def _hooks(argument: str, host: Host) -> Reply:
    runner = host.session.hooks
    if argument not in ("", *_WORDS) or not isinstance(runner, HookRunner):
        raise BadArgument
    match argument:
        case "on" | "off":
            runner.switch(on=argument == "on")
        case "reload":
            runner.reload()
        case _:
            pass
    rows = [_row(report, host.say) for report in runner.reports()]
    names = ("event", "matcher", "command", "runs", "last", "time")
    head = " | ".join(host.say(f"hooks.row.{name}") for name in names)
    table = [f"| {head} |", "| --- | --- | --- | ---: | --- | ---: |", *rows] if rows else []
    return Reply(markdown="\n".join((_state(runner, host.say), *(("", *table) if table else ()))))


def _state(runner: HookRunner, say: Texts) -> str:
    loaded = runner.loaded
    if loaded.problem is not None:
        return one_line(say("hooks.now_broken", problem=loaded.problem))
    if runner.switched_off and loaded.state != "disabled":
        return say("hooks.state.off")
    return say(f"hooks.state.{loaded.state}", count=len(loaded.hooks))


def _row(report: HookReport, say: Texts) -> str:
    """A row of a Markdown table; a command may hold anything, so that its bars and backticks are taken out."""
    hook, last = report.hook, report.last
    command = one_line(hook.command, _SHOWN_CHARS).replace("`", "'").replace("|", "\\|")
    ended = "" if last is None else one_line(say.say(last)) if isinstance(last, Phrase) else str(last)
    time = f"{report.last_ms} ms" if report.runs else ""
    matcher = one_line(hook.matcher or "*").replace("|", "\\|")
    cells = (hook.event, matcher, f"`{command}`", str(report.runs), ended.replace("|", "\\|"), time)
    return f"| {' | '.join(cells)} |"


COMMANDS = (SlashCommand(name="hooks", run=_hooks, usage="[on|off|reload|list]", choices=lambda _: list(_WORDS)),)
