"""One simple command out of the grammar's nodes: its words, assignments and redirections, and scripts within them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.script import Assignment, Node, Redirect, Simple, Span, Statements
from helloclaw.permissions.shell.words import Word, read_word, read_words
from helloclaw.permissions.tables import names

if TYPE_CHECKING:
    import tree_sitter

    TreeNode = tree_sitter.Node

MAX_DEPTH = 40

_SUBSTITUTIONS = names("command_substitution process_substitution")
_WHOLE_WORDS = names(
    "string concatenation expansion simple_expansion command_substitution process_substitution arithmetic_expansion"
)
_HEREDOC_WORDS = names("word string raw_string concatenation simple_expansion expansion number")


class _Gathered:
    """What a simple command is made of, as it is found."""

    def __init__(self) -> None:
        self.words: list[Span] = []
        self.assigned: list[Span] = []
        self.assignments: list[Assignment] = []
        self.redirects: list[Redirect] = []
        self.nested: list[Node] = []
        self.odd: Why | None = None
        self.end = 0


class CommandReader(ABC):
    """Reads commands; statements are its heirs' part. `problems` are what makes the reading of the whole unsure."""

    def __init__(self, source: bytes, home: str) -> None:
        self._source = source
        self._home = home
        self.problems: list[Why] = []

    @abstractmethod
    def statements(self, node: TreeNode, depth: int) -> Statements:
        """All statements directly within `node`, whatever it is."""

    @abstractmethod
    def within(self, node: TreeNode, depth: int) -> tuple[Node, ...]:
        """Every command somewhere below `node`."""

    def text_of(self, node: TreeNode) -> str:
        return self._text(node.start_byte, node.end_byte)

    def _text(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")

    def words_at(self, span: Span) -> tuple[Word, ...]:
        return read_words(self._text(*span), self._home)

    def simple(self, start: int, end: int, nodes: Iterable[TreeNode], depth: int) -> Simple:
        """One command out of the nodes that make it up: itself, and redirections that carry some of its words."""
        gathered = _Gathered()
        for node in nodes:
            self._gather(node, gathered, depth)
        spans = _joined(gathered.words)
        return Simple(
            text=self._text(start, gathered.end or end).strip(),
            words=tuple(word for span in spans for word in self.words_at(span)),
            assignments=tuple(gathered.assignments),
            redirects=tuple(gathered.redirects),
            nested=tuple(gathered.nested),
            odd=gathered.odd,
            spans=tuple(sorted((*spans, *gathered.assigned))),
        )

    def test(self, node: TreeNode, depth: int) -> Simple:
        """`[ … ]` and `[[ … ]]` as the words they are written in."""
        spans = tuple(_joined(_leaves(node)))
        return Simple(
            text=self.text_of(node),
            words=tuple(word for span in spans for word in self.words_at(span)),
            nested=tuple(self._substitutions(node, depth)),
            odd=Why("control_flow", "((") if node.children[0].type == "((" else None,
            spans=spans,
        )

    def _gather(self, node: TreeNode, gathered: _Gathered, depth: int) -> None:
        match node.type:
            case "command" | "variable_assignments":
                for child in node.children:
                    self._gather(child, gathered, depth)
            case "declaration_command" | "unset_command":
                self._gather_declaration(node, gathered, depth)
            case "variable_assignment" if not gathered.words:
                gathered.assignments.append(self._assignment(node))
                gathered.assigned.append((node.start_byte, node.end_byte))
                gathered.nested += self._substitutions(node, depth)
            case "file_redirect":
                self._gather_redirect(node, gathered, depth)
            case "herestring_redirect":
                fed = node.named_children[-1] if node.named_children else node
                target = read_word(self.text_of(fed), self._home)
                gathered.redirects.append(Redirect(op="<<<", target=target, span=(fed.start_byte, fed.end_byte)))
                gathered.nested += self._substitutions(node, depth)
            case "heredoc_redirect":
                gathered.end = gathered.end or node.start_byte
                self._gather_heredoc(node, gathered, depth)
            case "comment":
                self.problems.append(Why("comment"))
            case "subshell" | "ERROR":
                gathered.odd = Why("not_understood", self.text_of(node)[:40])
                gathered.nested += self.within(node, depth + 1)
            case _:
                gathered.words.append((node.start_byte, node.end_byte))
                gathered.nested += self._substitutions(node, depth)

    def _gather_declaration(self, node: TreeNode, gathered: _Gathered, depth: int) -> None:
        """`export`, `declare`, `unset` and their like: words, some of which are assignments."""
        gathered.odd = Why("shell_state", self.text_of(node.children[0]))
        for child in node.children:
            if child.type == "variable_assignment":
                gathered.assignments.append(self._assignment(child))
            gathered.words.append((child.start_byte, child.end_byte))
        gathered.nested += self._substitutions(node, depth)

    def _gather_redirect(self, node: TreeNode, gathered: _Gathered, depth: int) -> None:
        """The first word after the operator is the target; what follows are further arguments of the command."""
        fd, op, spans = "", "", list[Span]()
        for child in node.children:
            if child.type == "file_descriptor":
                fd = self.text_of(child)
            elif child.is_named:
                spans.append((child.start_byte, child.end_byte))
                gathered.nested += self._substitutions(child, depth)
            else:
                op += child.type
        words = _joined(spans)
        if op.endswith("&-"):  # `2>&-`: the grammar takes the dash into the operator
            gathered.redirects.append(Redirect(op=op, target=None, fd=fd, span=(node.end_byte - 1, node.end_byte)))
            gathered.words += words
            return
        span = words[0] if words else (node.end_byte, node.end_byte)
        target = read_word(self._text(*span), self._home) if words else None
        gathered.redirects.append(Redirect(op=op, target=target, fd=fd, span=span))
        gathered.words += words[1:]

    def _gather_heredoc(self, node: TreeNode, gathered: _Gathered, depth: int) -> None:
        body = next((child for child in node.children if child.type == "heredoc_body"), None)
        text = self.text_of(body) if body else ""
        fed = Word(text=text, pieces=(), value=text)
        gathered.redirects.append(Redirect(op="<<", target=fed, span=(node.start_byte, node.start_byte)))
        for child in node.named_children:
            if child.type == "file_redirect":
                self._gather_redirect(child, gathered, depth)
            elif child.type == "heredoc_body":
                gathered.nested += self._substitutions(child, depth)
            elif child.type in _HEREDOC_WORDS:
                gathered.words.append((child.start_byte, child.end_byte))

    def _assignment(self, node: TreeNode) -> Assignment:
        name, _, value = self.text_of(node).partition("=")
        is_array = value.startswith("(")
        word = read_word(value[1:-1] if is_array else value, self._home)
        return Assignment(name=name.removesuffix("+"), value=word, is_array=is_array)

    def _substitutions(self, node: TreeNode, depth: int) -> list[Node]:
        """The scripts in the command and process substitutions below `node`, outermost ones, in order."""
        if not node.child_count:
            return []
        if node.type in _SUBSTITUTIONS:
            return [self.statements(node, depth + 1)]
        if depth > MAX_DEPTH:
            self.problems.append(Why("not_understood", "nested too deeply"))
            return []
        return [found for child in node.children for found in self._substitutions(child, depth + 1)]


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Neighbours that touch are one word, also where the grammar splits it (`$"…"`, `a"b"`)."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _leaves(node: TreeNode, depth: int = 0) -> list[Span]:
    """The smallest nodes below a test, down to words but not into them."""
    if not node.child_count or node.type in _WHOLE_WORDS or depth > MAX_DEPTH:
        return [(node.start_byte, node.end_byte)]
    return [span for child in node.children for span in _leaves(child, depth + 1)]
