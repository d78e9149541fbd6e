"""Processes that multiply: functions that call themselves twice, loops that start without end. Pure."""

from __future__ import annotations

import re

from helloclaw.permissions.shell.script import Background, Group, Loop, Node, Pipeline, Simple, Statements, children

_FORK_OR_LOOP = re.compile(r"\b(?:fork|while|for|loop|until)\b")


def forks_endlessly(code: str) -> bool:
    """Whether program text for an interpreter looks like a fork bomb."""
    if "fork" not in code:
        return False
    forks = loops = False
    for match in _FORK_OR_LOOP.finditer(code):
        word = match.group()
        if (word == "fork" and loops) or (word == "while" and forks):
            return True
        forks, loops = forks or word == "fork", loops or word != "fork"
    return False


def calls_itself_apart(name: str, body: Node) -> bool:
    """Whether a function starts itself in a pipeline or in the background, so that each call makes two."""
    return _apart(name, body, apart=False)


def _apart(name: str, node: Node, *, apart: bool) -> bool:
    if isinstance(node, Simple):
        return apart and bool(node.words) and node.words[0].value == name
    apart = apart or isinstance(node, Pipeline | Background)
    return any(_apart(name, each, apart=apart) for each in children(node))


def never_ends(loop: Loop) -> bool:
    """Whether nothing in the loop's head ever stops it."""
    if loop.keyword == "for":
        return not loop.variable
    test = loop.test
    if isinstance(test, Statements) and len(test.items) == 1:
        test = test.items[0]
    if not isinstance(test, Simple) or not test.words:
        return False
    return test.words[0].value in (("true", ":") if loop.keyword == "while" else ("false",))


def leaves_processes(node: Node) -> bool:
    """Whether each round starts something in the background and waits for nothing."""
    match node:
        case Statements(items=items):
            waits = any(
                isinstance(each, Simple) and each.words and each.words[0].value in ("wait", "sleep", "read")
                for each in items
            )
            return not waits and any(leaves_processes(each) for each in items)
        case Background():
            return True
        case Group(body=body):
            return leaves_processes(body)
        case _:
            return False
