"""What is permitted in a session: whose rules count, and where its calls happen."""

from __future__ import annotations

import os
from pathlib import Path

from helloclaw.app.options import SessionOptions
from helloclaw.permissions.matching import binds_url
from helloclaw.permissions.paths import control_paths
from helloclaw.permissions.rules import RuleSet, load_rules, parse_rule
from helloclaw.permissions.verdict import Scope
from helloclaw.settings.trust import is_trusted
from helloclaw.settings.values import Settings
from helloclaw.storage.paths import person_home


def gather_rules(settings: Settings, options: SessionOptions) -> RuleSet:
    """The person's rules from settings and file, the project's, and those given for this session.

    A project's rules only tighten until the person has trusted its directory.

    Raises `BadRule` for the first that can't be read: a guard with a hole is no guard.
    """
    said = settings.permissions
    rules = RuleSet(
        allow=tuple(parse_rule(text, source="user") for text in said.allow),
        deny=tuple(parse_rule(text, source="user") for text in said.deny),
        ask=tuple(parse_rule(text, source="user") for text in said.ask),
    )
    saved = load_rules(options.home.permissions, source="user")
    project = load_rules(options.workdir / ".claude" / "permissions.json", source="project")
    if not (project.allow and is_trusted(options.home, options.workdir)):
        project = project.tightening()
    flags = tuple(parse_rule(text, source="flag") for text in options.allow)
    own = tuple(parse_rule(tool.name, source="flag") for tool in options.extra_tools)
    return RuleSet(
        allow=(*rules.allow, *saved.allow, *project.allow, *flags, *own),
        deny=(*rules.deny, *saved.deny, *project.deny),
        ask=(*rules.ask, *saved.ask, *project.ask),
    )


def make_scope(
    options: SessionOptions,
    cwd: Path,
    known_urls: frozenset[str] = frozenset(),
    *,
    sandboxed: bool = False,
    readable: tuple[Path, ...] = (),
) -> Scope:
    """Where calls happen: working directory and home workspace are free to read, the agent's controls closed.

    `readable` are further directories free to read, resolved: those of the skills in use.
    """
    workdir = Path(os.path.realpath(options.workdir))
    workspace = Path(os.path.realpath(options.workspace_of(options.source.current())))
    return Scope(
        workdir=workdir,
        cwd=Path(os.path.realpath(cwd)),
        home=person_home(os.environ),
        roots=(workdir, workspace, *(Path(os.path.realpath(each)) for each in options.add_dirs), *readable),
        controls=control_paths(workdir, options.home.root),
        sandboxed=sandboxed,
        known_urls=known_urls,
    )


def bound_by(url: str, rules: RuleSet) -> str | None:
    """The rule that keeps a redirect from being followed: it would have been refused, or asked about, by itself."""
    bound = next(
        (rule for rule in (*rules.deny, *rules.ask) if rule.family == "WebFetch" and binds_url(rule, url)), None
    )
    return f"the rule {bound.text} is about that address; fetch it by itself" if bound else None
