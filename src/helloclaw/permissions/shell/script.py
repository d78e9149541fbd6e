"""The structure of a shell command as a tree of values. How it is found in the text is `parse`'s business."""

from __future__ import annotations

from msgspec import Struct

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.words import Word

Span = tuple[int, int]


class Redirect(Struct, frozen=True, kw_only=True):
    """`fd` `op` `target`. For here-documents and here-strings (`<<`, `<<<`) the target is the text that is fed in."""

    op: str
    target: Word | None
    fd: str = ""
    span: Span = (0, 0)


class Assignment(Struct, frozen=True, kw_only=True):
    name: str
    value: Word
    is_array: bool = False


class Simple(Struct, frozen=True, kw_only=True):
    """One command: its words (the program first), and what is set and redirected for it.

    `odd` says why its words are not to be taken as they stand. `nested` are scripts within its words, in order.
    `spans` are the words' places in the text as bytes, to be compared with a second reading.
    """

    text: str
    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    nested: tuple[Node, ...] = ()
    odd: Why | None = None
    spans: tuple[Span, ...] = ()


class Statements(Struct, frozen=True):
    """Statements one after the other."""

    items: tuple[Node, ...]


class AndOr(Struct, frozen=True):
    """`first && … || …`: each of `rest` with the operator before it. Both bind alike, from the left."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


class Pipeline(Struct, frozen=True):
    stages: tuple[Node, ...]


class Negation(Struct, frozen=True):
    body: Node


class Background(Struct, frozen=True):
    body: Node


class Group(Struct, frozen=True, kw_only=True):
    """`( … )` if it is a subshell, else `{ …; }`."""

    body: Node
    subshell: bool


class Redirected(Struct, frozen=True, kw_only=True):
    """A statement that is no simple command, with redirections of its own."""

    body: Node
    redirects: tuple[Redirect, ...]


class Conditional(Struct, frozen=True, kw_only=True):
    """`if`: conditions and branches in the order they are written."""

    parts: tuple[Node, ...]


class Loop(Struct, frozen=True, kw_only=True):
    """`while`, `until`, `for`, `select`. `variable` takes each of `values`."""

    keyword: str
    test: Node | None
    body: Node
    variable: str = ""
    values: tuple[Word, ...] = ()


class Function(Struct, frozen=True, kw_only=True):
    name: str
    body: Node


class Other(Struct, frozen=True, kw_only=True):
    """Anything else, with the commands that were found within it."""

    why: Why
    parts: tuple[Node, ...]


Node = (
    Simple
    | Statements
    | AndOr
    | Pipeline
    | Negation
    | Background
    | Group
    | Redirected
    | Conditional
    | Loop
    | Function
    | Other
)


class Script(Struct, frozen=True, kw_only=True):
    """A whole command line. `problems` are what keeps any reading of it from being sure; `plain`: there is but one."""

    body: Statements
    problems: tuple[Why, ...] = ()
    plain: bool = False


def children(node: Node) -> tuple[Node, ...]:
    """The statements directly within one, in the order they are written."""
    match node:
        case Simple(nested=nodes) | Statements(items=nodes) | Pipeline(stages=nodes):
            return nodes
        case Conditional(parts=nodes) | Other(parts=nodes):
            return nodes
        case AndOr(first=first, rest=rest):
            return (first, *(node for _, node in rest))
        case Loop(test=test, body=body):
            return (test, body) if test is not None else (body,)
        case (
            Negation(body=body) | Background(body=body) | Group(body=body) | Redirected(body=body) | Function(body=body)
        ):
            return (body,)
