"""The five steps for a shell command. Pure but for `Files`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import starmap

from msgspec import structs

from helloclaw.permissions import paths
from helloclaw.permissions.files import Files
from helloclaw.permissions.matching import (
    allows_text,
    allows_words,
    binds_words,
    names_tool,
)
from helloclaw.permissions.path_rules import allows_path, binds_below, binds_path
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.rule_syntax import FAMILIES, Rule, RuleSet
from helloclaw.permissions.sandboxed import stays_inside
from helloclaw.permissions.shell.examine import Examined, examine
from helloclaw.permissions.shell.proof import Ask, Judged
from helloclaw.permissions.shell.readonly import peeled
from helloclaw.permissions.suggest import shell_suggestions, tool_suggestions
from helloclaw.permissions.verdict import Behaviour, Call, Part, Scope, Verdict
from helloclaw.protocol.events import Mode


def decide_shell(text: str, call: Call, mode: Mode, rules: RuleSet, scope: Scope, files: Files) -> Verdict:
    examined = examine(text, scope, files)
    judge = _Judge(text, call, rules, scope, files, examined)
    if examined.denials:
        return judge.denied(1, dict(examined.denials), examined.denials[0][1])
    if found := judge.binding(rules.deny):
        return judge.denied(2, {}, Why("deny_rule", found.text), found)
    if mode == "plan" and (unproven := judge.unproven()):
        return judge.denied(3, {}, Why("plan_unproven", str(unproven)))
    if found := judge.binding(rules.ask):
        return judge.asked(5, Why("ask_rule", found.text), found)
    verdict = judge.allowed(3 if mode == "auto" else 4, rules.allow)
    if verdict is not None:
        return verdict
    if mode == "auto" and scope.sandboxed and stays_inside(examined, scope, files):
        return judge.sandboxed()
    return judge.with_suggestions(judge.asked_by_parts())


class _Judge:
    """One command before the rules. Everything it needs, so that its steps read as steps."""

    def __init__(self, text: str, call: Call, rules: RuleSet, scope: Scope, files: Files, examined: Examined) -> None:
        self._text = text
        self._call = call
        self._rules = rules
        self._scope = scope
        self._files = files
        self._examined = examined

    # Steps 1 and 2

    def denied(self, step: int, parts: dict[str, Why], why: Why, rule: Rule | None = None) -> Verdict:
        """`parts` are the reasons of the parts that have their own; where none has, all are denied for the same."""
        shown = [
            _part(part.text, Behaviour.DENY, own)
            if (own := parts.get(part.text) or (None if parts else why))
            else self._part(part, self._rules.allow)
            for part in self._examined.parts
        ]
        missing = set(parts) - {part.text for part in self._examined.parts}
        shown += [_part(text, Behaviour.DENY, parts[text]) for text in sorted(missing)]
        return _verdict(Behaviour.DENY, why, step, rule.text if rule else None, shown)

    def binding(self, rules: tuple[Rule, ...]) -> Rule | None:
        """The first rule that forbids any command within, or any path that one of them reads or writes."""
        return next((rule for rule in rules if self._binds(rule)), None)

    def _binds(self, rule: Rule) -> bool:
        match rule.family:
            case "Bash":
                if rule.tools != FAMILIES["Bash"] and not names_tool(rule, self._call):
                    return False
                return allows_text(rule, self._text) or any(map(_binder(rule), self._commands()))
            case "tool":
                return names_tool(rule, self._call)
            case "Read":
                return any(binds_path(rule, each, self._scope, self._files) for each in self._read_paths)
            case "Edit":
                return any(binds_path(rule, each, self._scope, self._files) for each in self._written_paths)
            case _:
                return False

    def _commands(self) -> Iterator[tuple[str, ...]]:
        yield from self._examined.commands
        for part in self._examined.parts:
            yield tuple(word or "" for word in part.words)

    @cached_property
    def _read_paths(self) -> tuple[tuple[str, str], ...]:
        """As written and as resolved. Of a command that is not known, every word may be a path it reads."""
        return tuple(starmap(self._both, dict.fromkeys(self._named_paths())))

    def _named_paths(self) -> Iterator[tuple[str, str]]:
        """The same with the place each is named in."""
        for part in self._examined.parts:
            words = [word.rpartition("=")[2] or word for word in part.words[1:] if word] if part.why is not None else []
            for path in (*part.reads, *words):
                for place in part.places:
                    yield path, place

    @cached_property
    def _written_paths(self) -> tuple[tuple[str, str], ...]:
        return tuple((path, self._files.realpath(path)) for path in dict.fromkeys(self._examined.written))

    def _both(self, path: str, place: str) -> tuple[str, str]:
        home = str(self._scope.home)
        return paths.absolute(path, place or "/", home), paths.resolve(path, place or "/", home, self._files)

    # Step 3

    def unproven(self) -> Why | None:
        """What plan mode does not run: all that is not proven to only read."""
        if self._examined.structure:
            return self._examined.structure[0]
        return next((part.why for part in self._examined.parts if part.why is not None), None)

    # Step 4

    def allowed(self, step: int, allow: tuple[Rule, ...]) -> Verdict | None:
        """The verdict if every part may run; None if a person has to be asked."""
        exact = next((rule for rule in allow if self._covers_whole(rule)), None)
        if exact is not None and self._examined.hidden is None:
            shown = [
                _part(part.text, Behaviour.ALLOW, Why("allow_rule", exact.text), exact) for part in self._examined.parts
            ]
            return _verdict(Behaviour.ALLOW, Why("allow_rule", exact.text), 4, exact.text, shown)
        if self._examined.structure or not self._examined.parts:
            return None
        shown = [self._part(part, allow) for part in self._examined.parts]
        if any(part.behaviour != Behaviour.ALLOW for part in shown):
            return None
        by_rule = next((part for part in shown if part.rule is not None), None)
        if by_rule is not None:
            return _verdict(Behaviour.ALLOW, by_rule.why or Why("reads"), 4, by_rule.rule, shown)
        return _verdict(Behaviour.ALLOW, Why("reads"), step, None, shown)

    def _covers_whole(self, rule: Rule) -> bool:
        """Whether the rule is for exactly this text, or for the tool that takes it, if that is none of ours."""
        return names_tool(rule, self._call) and (rule.family == "tool" or allows_text(rule, self._text))

    def _part(self, part: Judged, allow: tuple[Rule, ...]) -> Part:
        """One command: proven to only read what is free, or covered by rules, or left for a person."""
        rule: Rule | None = None
        if part.why is not None:
            rule = self._covering(part, allow) if part.plain else None
            if rule is None:
                return _part(part.text, Behaviour.ASK, part.why)
        for ask in (*part.asks, *self._forbidden_below(part)):
            covering = self._covering_read(ask.path, part, ask.why, allow)
            if covering is None:
                return _part(part.text, Behaviour.ASK, ask.why)
            rule = rule or covering
        if rule is None:
            return _part(part.text, Behaviour.ALLOW, Why("reads"))
        return _part(part.text, Behaviour.ALLOW, Why("allow_rule", rule.text), rule)

    def _covering(self, part: Judged, allow: tuple[Rule, ...]) -> Rule | None:
        """A rule for the program, also if it is behind a wrapper that only limits it (`timeout 60 npm test`)."""
        known = [word for word in part.words if word is not None]
        within = peeled(known) if known and len(known) == len(part.words) else ()
        candidates = [part.words, *within]
        return next(
            (
                rule
                for rule in allow
                if names_tool(rule, self._call) and any(allows_words(rule, each) for each in candidates)
            ),
            None,
        )

    def _covering_read(self, path: str, part: Judged, why: Why, allow: tuple[Rule, ...]) -> Rule | None:
        """A rule for a path that is not free. A search through secrets or links has no one path a rule could name."""
        if why.id not in ("outside", "secret"):
            return None
        if not all(part.places):
            return None
        reals = [self._both(path, place)[1] for place in part.places]
        return next(
            (
                rule
                for rule in allow
                if rule.family == "Read" and all(allows_path(rule, real, self._scope, self._files) for real in reals)
            ),
            None,
        )

    def _forbidden_below(self, part: Judged) -> Iterator[Ask]:
        """Searches through directories that hold what a deny rule is about."""
        rules = [rule for rule in (*self._rules.deny, *self._rules.ask) if rule.family == "Read"]
        for tree in part.trees if rules else ():
            for place in part.places:
                directory = self._both(tree.path, place)[1]
                for rule in rules:
                    if binds_below(rule, directory, self._scope, hidden=tree.hidden):
                        yield Ask(tree.path, Why("denied_below", rule.text), one_file=False)

    def sandboxed(self) -> Verdict:
        why = Why("sandboxed")
        shown = [_part(part.text, Behaviour.ALLOW, why) for part in self._examined.parts]
        return structs.replace(_verdict(Behaviour.ALLOW, why, 3, None, shown), confined=True)

    # Step 5

    def asked(self, step: int, why: Why, rule: Rule | None = None) -> Verdict:
        shown = [_part(part.text, Behaviour.ASK, why, rule) for part in self._examined.parts]
        return _verdict(Behaviour.ASK, why, step, rule.text if rule else None, shown)

    def asked_by_parts(self) -> Verdict:
        """A question whose reason is the first part that can't pass, or how the whole is put together."""
        shown = [self._part(part, self._rules.allow) for part in self._examined.parts]
        open_part = next((part for part in shown if part.behaviour == Behaviour.ASK), None)
        in_text = self._examined.structure or any(
            part.why is not None and not part.plain for part in self._examined.parts
        )
        why = (open_part.why if open_part else None) or Why("needs_approval", self._text.strip()[:60])
        if self._examined.structure and (open_part is None or self._examined.hidden):
            why = self._examined.structure[0]
        return _verdict(Behaviour.ASK, why, 1 if in_text else 5, None, shown)

    def with_suggestions(self, verdict: Verdict) -> Verdict:
        """The rules of which each alone would let the command pass: offered, then tried."""
        blocked = [
            judged
            for judged, part in zip(self._examined.parts, verdict.parts, strict=True)
            if part.behaviour == Behaviour.ASK
        ]
        if self._call.tool in FAMILIES["Bash"]:
            offered = shell_suggestions(self._text, blocked, self._examined.structure, self._real, self._scope)
        else:
            offered = tool_suggestions(self._call.tool)
        passing = tuple(rule.text for rule in offered if self.allowed(4, (*self._rules.allow, rule)) is not None)
        return structs.replace(verdict, suggested_rules=tuple(dict.fromkeys(passing)))

    def _real(self, path: str) -> str:
        return self._both(path, str(self._scope.cwd))[1]


def _binder(rule: Rule) -> Callable[[tuple[str, ...]], bool]:
    return lambda words: binds_words(rule, words)


def _part(text: str, behaviour: Behaviour, why: Why, rule: Rule | None = None) -> Part:
    return Part(text=text, behaviour=behaviour, reason=str(why), rule=rule.text if rule else None, why=why)


def _verdict(behaviour: Behaviour, why: Why, step: int, rule: str | None, parts: list[Part]) -> Verdict:
    return Verdict(behaviour=behaviour, reason=str(why), step=step, rule=rule, parts=tuple(parts), why=why)
