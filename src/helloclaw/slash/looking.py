"""Commands that only show something: tokens, what fills the context, the prompt, rules, the to-do list."""

from __future__ import annotations

import msgspec

from helloclaw.agent.config import CannotRun
from helloclaw.protocol.commands import Clear
from helloclaw.slash import base
from helloclaw.slash.base import BadArgument, Host, Reply, SlashCommand
from helloclaw.wording.markdown import code, fenced, literal
from helloclaw.wording.plain import one_line, sentences

_BAR_CELLS = 20
_TODO = {"pending": "☐", "in_progress": "▶", "completed": "☑"}


async def _usage(argument: str, host: Host) -> Reply:
    say = host.say
    if argument == "reset":
        if host.session.busy:
            return Reply(markdown=say("slash.usage.busy"), level="error")
        host.session.send(Clear(usage=True))
        return Reply(markdown=say("slash.usage.reset"))
    if argument:
        raise BadArgument
    usage = host.session.usage
    rows = [
        (say("slash.usage.input"), usage.input),
        (say("slash.usage.output"), usage.output),
        (say("slash.usage.cache_read"), usage.cache_read),
        (say("slash.usage.cache_write"), usage.cache_write),
        (say("slash.usage.reasoning"), usage.reasoning),
    ]
    lines = [f"| {say('slash.usage.what')} | {say('slash.usage.tokens')} |", "| --- | ---: |"]
    lines += [f"| {name} | {count:,} |" for name, count in rows]
    try:
        seen = await host.session.inspect()
    except CannotRun:
        return Reply(markdown="\n".join(lines))
    percent = 100 * seen.context_tokens / seen.compact_at
    context = say(
        "slash.usage.context", used=f"{seen.context_tokens:,}", limit=f"{seen.compact_at:,}", percent=f"{percent:.0f}"
    )
    cost = say("slash.usage.cost", cost=f"{seen.cost_usd:.4f}") if seen.cost_usd is not None else ""
    return Reply(markdown="\n".join(lines) + f"\n\n{context}" + (f"\n\n{cost}" if cost else ""))


async def _context(argument: str, host: Host) -> Reply:
    """Each part with a bar, as shares of where compaction starts."""
    del argument
    say = host.say
    try:
        seen = await host.session.inspect()
    except CannotRun as problem:
        return _cannot(problem, host)
    lines = [f"| {say('slash.context.part')} | {say('slash.usage.tokens')} | |", "| --- | ---: | --- |"]
    for part, tokens in seen.tokens.items():
        lines.append(f"| {say(f'slash.context.{part}')} | {tokens:,} | {_bar(tokens / seen.compact_at)} |")
    estimate = sum(seen.tokens.values())
    free = max(0, seen.compact_at - seen.context_tokens)
    lines.append(f"| {say('slash.context.free')} | {free:,} | {_bar(free / seen.compact_at)} |")
    window = f"{seen.window:,}" if seen.window else say("slash.context.unknown")
    told = say(
        "slash.context.sum",
        model=literal(seen.model),
        estimate=f"{estimate:,}",
        measured=f"{seen.context_tokens:,}",
        limit=f"{seen.compact_at:,}",
        window=window,
    )
    return Reply(markdown="\n".join(lines) + f"\n\n{told}")


async def _prompt(argument: str, host: Host) -> Reply:
    del argument
    try:
        seen = await host.session.inspect()
    except CannotRun as problem:
        return _cannot(problem, host)
    return Reply(markdown=fenced(seen.system))


async def _sections(argument: str, host: Host) -> Reply:
    del argument
    say = host.say
    try:
        seen = await host.session.inspect()
    except CannotRun as problem:
        return _cannot(problem, host)
    heads = (say("slash.sections.section"), say("slash.sections.characters"), say("slash.usage.tokens"))
    lines = [f"| {' | '.join(heads)} |", "| --- | ---: | ---: |"]
    for each in seen.sections:
        cut = f" ({say('slash.sections.cut', count=f'{each.cut:,}')})" if each.cut else ""
        lines.append(f"| {literal(each.name)}{cut} | {len(each.text):,} | {each.tokens:,} |")
    tools = sum(len(msgspec.json.encode(tool)) for tool in seen.tools)
    lines.append(f"| {say('slash.sections.tools', count=len(seen.tools))} | {tools:,} | {seen.tokens['tools']:,} |")
    return Reply(markdown="\n".join(lines))


async def _rules(argument: str, host: Host) -> Reply:
    del argument
    say = host.say
    try:
        seen = await host.session.inspect()
    except CannotRun as problem:
        return _cannot(problem, host)
    rules = seen.rules
    lists = (("deny", rules.deny), ("ask", rules.ask), ("allow", rules.allow))
    rows = [
        f"* **{say(f'permissions.behaviour.{name}')}** {code(rule.text)} — {say(f'slash.rules.{rule.source}')}"
        for name, each in lists
        for rule in each
    ]
    head = say("slash.rules.built_in", mode=seen.mode)
    return Reply(markdown=f"{head}\n\n" + ("\n".join(rows) if rows else say("permissions.none")))


async def _todo(argument: str, host: Host) -> Reply:
    del argument
    items = host.session.todo
    if not items:
        return Reply(markdown=host.say("slash.todo.none"))
    return Reply(markdown="\n".join(f"* {_TODO[item.status]} {literal(item.content)}" for item in items))


async def _doctor(argument: str, host: Host) -> Reply:
    del argument, host
    return Reply(effect=base.RunDoctor())


def _cannot(problem: CannotRun, host: Host) -> Reply:
    text = host.say.say(problem.phrase) if problem.phrase else sentences(str(problem), problem.hint)
    return Reply(markdown=one_line(text), level="error")


def _bar(share: float) -> str:
    return "█" * min(_BAR_CELLS, max(0, round(share * _BAR_CELLS)))


COMMANDS = (
    SlashCommand(name="usage", run=_usage, usage="[reset]", choices=lambda _: ["reset"]),
    SlashCommand(name="context", run=_context),
    SlashCommand(name="todo", run=_todo),
    SlashCommand(name="rules", run=_rules),
    SlashCommand(name="prompt", run=_prompt),
    SlashCommand(name="sections", run=_sections),
    SlashCommand(name="doctor", run=_doctor),
)
