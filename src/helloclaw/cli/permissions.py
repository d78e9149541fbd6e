"""`helloclaw permissions`: what would happen to a command and why, which rules there are, and how to lose one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helloclaw.app.options import SessionOptions
from helloclaw.app.rules import gather_rules, make_scope
from helloclaw.cli.run import NothingThere, Run
from helloclaw.permissions.decide import decide
from helloclaw.permissions.explain import name_of, to_json
from helloclaw.permissions.keeping import Place, RuleFiles
from helloclaw.permissions.rules import RuleSet, load_rules
from helloclaw.permissions.verdict import Call, Verdict
from helloclaw.settings.problems import nearest
from helloclaw.settings.trust import is_trusted
from helloclaw.wording.plain import one_line


def main(run: Run) -> int:
    match run.action:
        case "check":
            return _check(run)
        case "rm":
            return _rm(run)
        case _:
            return _list(run)


def _options(run: Run) -> SessionOptions:
    return SessionOptions(
        source=run.settings(),
        home=run.home(),
        workdir=run.workdir(),
        allow=run.arguments.many("allow"),
        add_dirs=tuple(run.directory("--add-dir", named) for named in run.arguments.many("add_dir")),
    )


def _check(run: Run) -> int:
    """Exit code 0 whatever the verdict: it is the answer, not a failure."""
    options = _options(run)
    settings = options.source.current()
    command = run.required("command")
    verdict = decide(
        Call(tool="bash", input={"command": command}, command=command),
        settings.permissions.mode,
        gather_rules(settings, options),
        make_scope(options, options.workdir),
    )
    if run.as_json:
        run.terminal.json(to_json(verdict, run.say.lang))
    else:
        run.terminal.lines(_told(verdict, run))
    return 0


def _told(verdict: Verdict, run: Run) -> list[str]:
    """A verdict for a person; of a compound, each part."""
    told: dict[str, Any] = to_json(verdict, run.say.lang)
    lines = [_verdict_line(told, run)]
    if len(verdict.parts) > 1:
        lines += [f"  {one_line(part['text'], 100)}  →  {_verdict_line(part, run)}" for part in told["parts"]]
    if verdict.rule:
        lines.append(run.say("permissions.by_rule", rule=one_line(verdict.rule)))
    if verdict.suggested_rules and name_of(verdict.behaviour) == "ask":
        lines.append(run.say("permissions.would_save", rules=one_line("  ".join(verdict.suggested_rules))))
    return lines


def _verdict_line(told: dict[str, Any], run: Run) -> str:
    behaviour = run.say(f"permissions.behaviour.{told['behaviour']}")
    return f"{behaviour}: {one_line(str(told['reason']))}"


def _list(run: Run) -> int:
    options = _options(run)
    settings, home = options.source.current(), options.home
    project_file = RuleFiles(home, options.workdir).path("project")
    # What a project allows counts for nothing until its directory is trusted.
    project = load_rules(project_file, source="project")
    if not is_trusted(home, options.workdir):
        project = project.tightening()
    said = settings.permissions
    in_config = (("deny", said.deny), ("ask", said.ask), ("allow", said.allow))
    rows = [_row(behaviour, rule, home.config) for behaviour, found in in_config for rule in found]
    rows += [_row(*each, home.permissions) for each in _of(load_rules(home.permissions, source="user"))]
    rows += [_row(*each, project_file) for each in _of(project)]
    if run.as_json:
        run.terminal.json(rows)
    elif rows:
        behaviours = {row["behaviour"]: run.say(f"permissions.behaviour.{row['behaviour']}") for row in rows}
        width = max(len(row["rule"]) for row in rows)
        for row in rows:
            run.terminal.line(f"{behaviours[row['behaviour']]:<8} {one_line(row['rule']):<{width}}  {row['place']}")
    else:
        run.complain(run.say("permissions.none"))
    return 0


def _rm(run: Run) -> int:
    options = _options(run)
    rule, files = run.required("rule"), RuleFiles(options.home, options.workdir)
    places: tuple[Place, ...] = ("user", "project")
    removed = [str(files.path(place)) for place in places if files.remove(rule, place)]
    if removed and run.as_json:
        run.terminal.json({"removed": rule, "place": removed[0], "places": removed})
    elif removed:
        run.terminal.lines(run.say("permissions.removed", rule=one_line(rule), path=path) for path in removed)
    if removed:
        return 0
    said = options.source.current().permissions
    if rule in (*said.allow, *said.deny, *said.ask):
        raise NothingThere("permissions.in_config", rule=rule, path=str(options.home.config))
    saved = [each for place in places for each in _of(load_rules(files.path(place), source=place))]
    near = nearest(rule, [text for _, text in saved])
    if near is not None:
        raise NothingThere("permissions.no_such_rule_near", rule=rule, near=near)
    raise NothingThere("permissions.no_such_rule", rule=rule)


def _of(rules: RuleSet) -> list[tuple[str, str]]:
    lists = (("deny", rules.deny), ("ask", rules.ask), ("allow", rules.allow))
    return [(behaviour, rule.text) for behaviour, found in lists for rule in found]


def _row(behaviour: str, rule: str, place: Path) -> dict[str, str]:
    return {"behaviour": behaviour, "rule": rule, "place": str(place)}
