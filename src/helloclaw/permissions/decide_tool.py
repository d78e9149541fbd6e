"""The five steps for every tool but the shell: files, the web, and the agent's own books. Pure but for `Files`."""

from __future__ import annotations

from collections.abc import Callable

from helloclaw.permissions import paths
from helloclaw.permissions.files import Files
from helloclaw.permissions.matching import (
    allows_url,
    binds_url,
    host_of,
    names_tool,
)
from helloclaw.permissions.path_rules import allows_path, binds_below, binds_path
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.rule_syntax import FAMILIES, Rule, RuleSet
from helloclaw.permissions.suggest import file_suggestions, tool_suggestions
from helloclaw.permissions.tables import names
from helloclaw.permissions.verdict import Behaviour, Call, Scope, Verdict
from helloclaw.protocol.events import Mode

# Looking things up, in the session or in the product's own store.
_LOOKS = names(
    "TodoWrite calculator check_background web_search task_get task_list list_teammates read_inbox cron_list "
    "memory_search memory_get memory_list load_skill compress idle submit_plan"
)
# Notes in the agent's own memory: nobody's work, and plain files that a person can see and undo.
_NOTES = frozenset({"memory_add", "memory_update_longterm"})
# The books of a session: the task board and mail between agents that run already.
_BOOKS = names(
    "task_create task_update claim_task send_message broadcast shutdown_request shutdown_response plan_approval"
)
_STARTS_AGENTS = frozenset({"run_subagent", "task", "spawn_teammate", "send_message", "broadcast", "plan_approval"})


def decide_tool(call: Call, mode: Mode, rules: RuleSet, scope: Scope, files: Files) -> Verdict:
    judge = _Judge(call, rules, scope, files)
    if control := judge.control():
        return _verdict(Behaviour.DENY, Why("writes_controls", control), 2)
    if found := judge.binding(rules.deny):
        return _verdict(Behaviour.DENY, Why("deny_rule", found.text), 2, found)
    if mode == "plan" and (why := judge.against_plan()):
        return _verdict(Behaviour.DENY, why, 3)
    if found := judge.binding(rules.ask):
        return _verdict(Behaviour.ASK, Why("ask_rule", found.text), 5, found)
    if (why := judge.free()) is not None:
        return _verdict(Behaviour.ALLOW, why, 3 if mode == "auto" else 4)
    if found := judge.covering(rules.allow):
        return _verdict(Behaviour.ALLOW, Why("allow_rule", found.text), 4, found)
    offered = judge.suggestions()
    passing = tuple(rule.text for rule in offered if judge.covering((*rules.allow, rule)) is not None)
    return _verdict(Behaviour.ASK, judge.open_question(), 5, suggested=tuple(dict.fromkeys(passing)))


class _Judge:
    def __init__(self, call: Call, rules: RuleSet, scope: Scope, files: Files) -> None:
        self._call = call
        self._rules = rules
        self._scope = scope
        self._files = files
        self._reads = [self._both(path) for path in call.reads]
        self._writes = [self._both(path) for path in call.writes]

    def _both(self, path: str) -> tuple[str, str]:
        """A path made absolute, and where it ends."""
        cwd, home = str(self._scope.cwd), str(self._scope.home)
        return paths.absolute(path, cwd, home), paths.resolve(path, cwd, home, self._files)

    def control(self) -> str | None:
        """One of the agent's own controls that the call would write."""
        for path, each in zip(self._call.writes, self._writes, strict=True):
            if any(paths.is_control(form, self._scope) for form in each):
                return path
        return None

    def binding(self, rules: tuple[Rule, ...]) -> Rule | None:
        return next((rule for rule in rules if self._binds(rule)), None)

    def _binds(self, rule: Rule) -> bool:
        match rule.family:
            case "Read":
                if rule.pattern is None:
                    return names_tool(rule, self._call) or bool(self._reads and not self._writes)
                return any(binds_path(rule, each, self._scope, self._files) for each in self._reads)
            case "Edit":
                if rule.pattern is None:
                    return names_tool(rule, self._call) or bool(self._writes)
                return any(binds_path(rule, each, self._scope, self._files) for each in self._writes)
            case "WebFetch":
                return any(binds_url(rule, url) for url in self._call.urls) or (
                    rule.pattern is None and names_tool(rule, self._call)
                )
            case "Bash" | "tool":
                return rule.family == "tool" and names_tool(rule, self._call)

    def against_plan(self) -> Why | None:
        """Why plan mode refuses the call: it writes, or starts or steers agents, or nobody knows."""
        tool = self._call.tool
        if tool in _STARTS_AGENTS:
            return Why("plan_agents", tool)
        if self._writes or tool in FAMILIES["Edit"] | _BOOKS:
            return Why("plan_writes", tool)
        known = tool in _LOOKS | _NOTES | FAMILIES["Read"] | FAMILIES["WebFetch"]
        return None if known or self._call.read_only else Why("plan_writes", tool)

    def free(self) -> Why | None:
        """Why the call may pass at once, by the rules that are built in."""
        tool = self._call.tool
        if tool in FAMILIES["Read"] and self._reads and not self._writes:
            return Why("free_read") if self._read_question() is None else None
        if tool in FAMILIES["WebFetch"] and self._call.urls:
            return Why("known_url") if set(map(_bare, self._call.urls)) <= self._known_urls() else None
        if tool in _LOOKS | _NOTES | _BOOKS and not self._writes and not self._reads and not self._call.urls:
            return Why("free", tool)
        return None

    def _known_urls(self) -> set[str]:
        return {_bare(url) for url in self._scope.known_urls}

    def _read_question(self) -> Why | None:
        """Why one of the reads is not free."""
        for path in self._call.reads:
            if why := paths.judge_read(path, str(self._scope.cwd), self._scope, self._files):
                return why
        if self._call.tool == "search_content":
            for _, real in self._reads:
                for rule in (*self._rules.deny, *self._rules.ask):
                    if rule.family == "Read" and binds_below(rule, real, self._scope, hidden=True):
                        return Why("denied_below", rule.text)
        return None

    def covering(self, allow: tuple[Rule, ...]) -> Rule | None:
        """A rule that lets the call pass: for its paths or addresses where it has any, else for the tool."""
        if self._call.tool in FAMILIES["WebFetch"] and self._call.urls:
            return _first(allow, "WebFetch", lambda rule: all(allows_url(rule, url) for url in self._call.urls))
        if self._call.tool in FAMILIES["Edit"] and self._writes:
            return self._covering_paths(allow, "Edit", [real for _, real in self._writes])
        if self._call.tool in FAMILIES["Read"] and self._reads:
            question = self._read_question()
            if question is not None and question.id == "denied_below":
                return None
            return self._covering_paths(allow, "Read", [real for _, real in self._reads])
        return next((rule for rule in allow if rule.family == "tool" and names_tool(rule, self._call)), None)

    def _covering_paths(self, allow: tuple[Rule, ...], family: str, reals: list[str]) -> Rule | None:
        return _first(
            allow,
            family,
            lambda rule: (
                names_tool(rule, self._call)
                and all(allows_path(rule, real, self._scope, self._files) for real in reals)
            ),
        )

    def open_question(self) -> Why:
        if self._call.tool in FAMILIES["Read"] and (why := self._read_question()):
            return why
        if self._call.tool in FAMILIES["Edit"] and self._call.writes:
            return Why("writes_file", self._call.writes[0])
        if self._call.tool in FAMILIES["WebFetch"] and self._call.urls:
            return Why("new_url", self._call.urls[0])
        return Why("needs_approval", self._call.tool)

    def suggestions(self) -> list[Rule]:
        tool = self._call.tool
        if tool in FAMILIES["WebFetch"] and self._call.urls:
            hosts = {host_of(url) for url in self._call.urls}
            return tool_suggestions(*(f"WebFetch(domain:{host})" for host in hosts if host and len(hosts) == 1))
        if tool in FAMILIES["Edit"] and len(self._writes) == 1:
            return file_suggestions("Edit", self._writes[0][1], self._scope)
        if tool in FAMILIES["Read"] and len(self._reads) == 1:
            return file_suggestions("Read", self._reads[0][1], self._scope)
        return tool_suggestions(tool)


def _first(allow: tuple[Rule, ...], family: str, covers: Callable[[Rule], bool]) -> Rule | None:
    return next((rule for rule in allow if rule.family == family and covers(rule)), None)


def _bare(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


def _verdict(
    behaviour: Behaviour, why: Why, step: int, rule: Rule | None = None, suggested: tuple[str, ...] = ()
) -> Verdict:
    return Verdict(
        behaviour=behaviour,
        reason=str(why),
        step=step,
        rule=rule.text if rule else None,
        suggested_rules=suggested,
        why=why,
    )
