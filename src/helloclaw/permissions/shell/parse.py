"""Shell text → `Script`, by tree-sitter's grammar of bash. What the grammar gets wrong is for `second_reading` to catch."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Seq
from functools import cache
from typing import TYPE_CHECKING

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.script import (
    AndOr,
    Assignment,
    Background,
    Conditional,
    Function,
    Group,
    Loop,
    Negation,
    Node,
    Other,
    Pipeline,
    Redirect,
    Redirected,
    Script,
    Sequence,
    Simple,
    Span,
)
from helloclaw.permissions.shell.words import Word, read_word, read_words

if TYPE_CHECKING:
    import tree_sitter

    TreeNode = tree_sitter.Node

MAX_DEPTH = 40

_SEPARATORS = frozenset({";", "\n", "&", ";;", ";&", ";;&", "(", ")", "{", "}", "((", "))"})
_REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_DECLARATIONS = frozenset({"declaration_command", "unset_command"})


@cache
def _parser() -> tree_sitter.Parser:
    """Made at the first use: importing the grammar takes some 20 ms that no start of the program should pay."""
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse(text: str, home: str) -> Script:
    """The structure of `text`. Never fails: what can't be understood is in it as `Other`, or as a problem."""
    source = text.encode("utf-8", "replace")
    root = _parser().parse(source).root_node
    reader = _Reader(source, home)
    body = reader.statements(root, 0)
    problems = (Why("not_understood", reader.first_error(root)),) if root.has_error else ()
    return Script(body=body, problems=(*problems, *reader.problems))


class _Reader:
    """One reading of one text."""

    def __init__(self, source: bytes, home: str) -> None:
        self._source = source
        self._home = home
        self.problems: list[Why] = []

    def first_error(self, node: TreeNode) -> str:
        while True:
            if node.is_error or node.is_missing:
                return self._text(node.start_byte, node.end_byte)[:40] or "it ends too early"
            broken = next((child for child in node.children if child.has_error), None)
            if broken is None:
                return self._text(node.start_byte, node.end_byte)[:40]
            node = broken

    def _text(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")

    # Statements

    def statements(self, node: TreeNode, depth: int) -> Sequence:
        """All statements directly within `node`, whatever it is."""
        items: list[Node] = []
        for child in node.children:
            kind = child.type
            if kind == "&" and items:
                items[-1] = Background(items[-1])
            elif kind == "comment":
                self.problems.append(Why("comment"))
            elif child.is_named and kind not in ("heredoc_body", "heredoc_end"):
                items.append(self.statement(child, depth + 1))
        return Sequence(tuple(items))

    def statement(self, node: TreeNode, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self.problems.append(Why("not_understood", "nested too deeply"))
            return Other(why=Why("ambiguous"), parts=())
        match node.type:
            case "command":
                return self.command(node, depth)
            case "list" if node.child_count == 3:
                left, op, right = node.children
                return AndOr(op.type, self.statement(left, depth + 1), self.statement(right, depth + 1))
            case "pipeline":
                return Pipeline(self.statements(node, depth).items)
            case "redirected_statement":
                return self.redirected(node, depth)
            case "negated_command":
                return Negation(self.statements(node, depth))
            case "test_command":
                return self.test(node, depth)
            case "subshell":
                return Group(body=self.statements(node, depth), subshell=True)
            case "compound_statement" if node.children[0].type == "{":
                return Group(body=self.statements(node, depth), subshell=False)
            case "variable_assignment" | "variable_assignments":
                return self.command(node, depth)
            case "declaration_command" | "unset_command":
                return self.command(node, depth)
            case "if_statement":
                return Conditional(parts=self.branches(node, depth))
            case "while_statement" | "for_statement" | "c_style_for_statement":
                return self.loop(node, depth)
            case "function_definition":
                name = node.child_by_field_name("name")
                body = node.child_by_field_name("body")
                return Function(
                    name=self._text(name.start_byte, name.end_byte) if name else "",
                    body=self.statement(body, depth + 1) if body else Sequence(()),
                )
            case kind:
                return Other(why=Why("control_flow", kind.removesuffix("_statement")), parts=self.within(node, depth))

    def branches(self, node: TreeNode, depth: int) -> tuple[Node, ...]:
        """The statements of an `if`, its `elif` and `else` clauses included."""
        parts: list[Node] = []
        for child in node.children:
            if child.type in ("elif_clause", "else_clause"):
                parts += self.branches(child, depth + 1)
            elif child.type == "comment":
                self.problems.append(Why("comment"))
            elif child.is_named:
                parts.append(self.statement(child, depth + 1))
        return tuple(parts)

    def loop(self, node: TreeNode, depth: int) -> Loop:
        body = node.child_by_field_name("body")
        test = node.child_by_field_name("condition")
        variable = node.child_by_field_name("variable")
        values = node.children_by_field_name("value")
        return Loop(
            keyword=node.children[0].type,
            test=self.statement(test, depth + 1) if test and node.type == "while_statement" else None,
            body=self.statements(body, depth + 1) if body else Sequence(self.within(node, depth)),
            variable=self._text(variable.start_byte, variable.end_byte) if variable else "",
            values=tuple(word for value in values for word in self.words_at((value.start_byte, value.end_byte))),
        )

    def within(self, node: TreeNode, depth: int) -> tuple[Node, ...]:
        """Every command somewhere below `node`, so that nothing in what we don't know stays unseen."""
        found: list[Node] = []
        for child in node.named_children:
            if child.type in ("command", "redirected_statement", "pipeline", "list", "subshell", "function_definition"):
                found.append(self.statement(child, depth + 1))
            elif depth < MAX_DEPTH:
                found += self.within(child, depth + 1)
            else:
                self.problems.append(Why("not_understood", "nested too deeply"))
        return tuple(found)

    # Commands

    def command(self, node: TreeNode, depth: int) -> Simple:
        return self.simple(node.start_byte, node.end_byte, (node,), depth)

    def redirected(self, node: TreeNode, depth: int) -> Node:
        """The redirections belong to the last command within; the grammar hangs them around everything before it."""
        if node.children[0].type in _REDIRECTS:
            return self.simple(node.start_byte, node.end_byte, node.children, depth)
        body, *redirects = node.children
        return self._attach(body, redirects, node.end_byte, depth + 1)

    def _attach(self, body: TreeNode, redirects: Seq[TreeNode], end: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            return self.statement(body, depth)
        match body.type:
            case "command" | "variable_assignment" | "declaration_command" | "unset_command" | "variable_assignments":
                simple = self.simple(body.start_byte, end, (body, *redirects), depth)
                return self._after_heredoc(simple, redirects, depth)
            case "pipeline" | "list":
                left, op, last = body.children[:-2], body.children[-2], body.children[-1]
                right = self._attach(last, redirects, end, depth + 1)
                if body.type == "list":
                    return AndOr(op.type, self.statement(left[0], depth + 1), right)
                stages = tuple(self.statement(stage, depth + 1) for stage in left if stage.is_named)
                return Pipeline((*stages, right))
            case _:
                holder = self.simple(body.start_byte, end, redirects, depth)
                inner = self.statement(body, depth + 1)
                if holder.words or holder.nested:
                    return Other(why=Why("ambiguous"), parts=(inner, holder))
                return self._after_heredoc(Redirected(body=inner, redirects=holder.redirects), redirects, depth)

    def _after_heredoc(self, node: Node, redirects: Iterable[TreeNode], depth: int) -> Node:
        """What follows `<<E` on its line is, in the grammar, within the redirection."""
        for redirect in redirects:
            if redirect.type != "heredoc_redirect":
                continue
            operator = next((child.type for child in redirect.children if child.type in ("&&", "||")), "&&")
            for child in redirect.named_children:
                if child.type == "pipeline":
                    node = Pipeline((node, *self.statements(child, depth).items))
                elif child.type in ("command", "list", "redirected_statement", "subshell", "compound_statement"):
                    node = AndOr(operator, node, self.statement(child, depth + 1))
        return node

    def test(self, node: TreeNode, depth: int) -> Simple:
        """`[ … ]` and `[[ … ]]` as the words they are written in."""
        odd = Why("control_flow", "((") if node.children[0].type == "((" else None
        spans = tuple(_joined(_leaves(node)))
        words = tuple(word for span in spans for word in self.words_at(span))
        nested = self.substitutions(node, depth)
        text = self._text(node.start_byte, node.end_byte)
        return Simple(text=text, words=words, nested=nested, odd=odd, spans=spans)

    def simple(self, start: int, end: int, nodes: Iterable[TreeNode], depth: int) -> Simple:
        """One command out of the nodes that make it up: itself, and redirections that carry some of its words."""
        gathered = _Gathered()
        for node in nodes:
            self._gather(node, gathered, depth)
        words = [word for span in _joined(gathered.words) for word in self.words_at(span)]
        end = gathered.end or end
        return Simple(
            text=self._text(start, end).strip(),
            words=tuple(words),
            assignments=tuple(gathered.assignments),
            redirects=tuple(gathered.redirects),
            nested=tuple(gathered.nested),
            odd=gathered.odd,
            spans=tuple(sorted((*_joined(gathered.words), *gathered.assigned))),
        )

    def _gather(self, node: TreeNode, gathered: _Gathered, depth: int) -> None:
        match node.type:
            case "command" | "variable_assignments":
                for child in node.children:
                    self._gather(child, gathered, depth)
            case "declaration_command" | "unset_command":
                keyword = self._text(node.children[0].start_byte, node.children[0].end_byte)
                gathered.odd = Why("shell_state", keyword)
                for child in node.children:
                    if child.type == "variable_assignment":
                        gathered.assignments.append(self.assignment(child))
                    gathered.words.append((child.start_byte, child.end_byte))
                gathered.nested += self.substitutions(node, depth)
            case "variable_assignment" if not gathered.words:
                gathered.assignments.append(self.assignment(node))
                gathered.assigned.append((node.start_byte, node.end_byte))
                gathered.nested += self.substitutions(node, depth)
            case "file_redirect":
                self._gather_redirect(node, gathered, depth)
            case "herestring_redirect":
                fed = node.named_children[-1] if node.named_children else node
                target = read_word(self._text(fed.start_byte, fed.end_byte), self._home)
                span = (fed.start_byte, fed.end_byte)
                gathered.redirects.append(Redirect(op="<<<", target=target, span=span))
                gathered.nested += self.substitutions(node, depth)
            case "heredoc_redirect":
                gathered.end = gathered.end or node.start_byte
                self._gather_heredoc(node, gathered, depth)
            case "comment":
                self.problems.append(Why("comment"))
            case "subshell" | "ERROR":
                gathered.odd = Why("not_understood", self._text(node.start_byte, node.end_byte)[:40])
                gathered.nested += self.within(node, depth + 1)
            case _:
                gathered.words.append((node.start_byte, node.end_byte))
                gathered.nested += self.substitutions(node, depth)

    def _gather_redirect(self, node: TreeNode, gathered: _Gathered, depth: int) -> None:
        """The first word after the operator is the target; what follows are further arguments of the command."""
        fd, op, spans = "", "", list[Span]()
        for child in node.children:
            if child.type == "file_descriptor":
                fd = self._text(child.start_byte, child.end_byte)
            elif child.is_named:
                spans.append((child.start_byte, child.end_byte))
                gathered.nested += self.substitutions(child, depth)
            else:
                op += child.type
        target, *rest = _joined(spans) or [None]
        if op.endswith("&-"):  # `2>&-`: the grammar takes the dash into the operator
            gathered.redirects.append(Redirect(op=op, target=None, fd=fd, span=(node.end_byte - 1, node.end_byte)))
        else:
            word = read_word(self._text(*target), self._home) if target else None
            span = target or (node.end_byte, node.end_byte)
            gathered.redirects.append(Redirect(op=op, target=word, fd=fd, span=span))
        gathered.words += [span for span in rest if span]

    def _gather_heredoc(self, node: TreeNode, gathered: _Gathered, depth: int) -> None:
        body = next((child for child in node.children if child.type == "heredoc_body"), None)
        text = self._text(body.start_byte, body.end_byte) if body else ""
        fed = Word(text=text, pieces=(), value=text)
        gathered.redirects.append(Redirect(op="<<", target=fed, span=(node.start_byte, node.start_byte)))
        for child in node.named_children:
            if child.type == "file_redirect":
                self._gather_redirect(child, gathered, depth)
            elif child.type == "heredoc_body":
                gathered.nested += self.substitutions(child, depth)
            elif child.type in ("word", "string", "raw_string", "concatenation"):
                gathered.words.append((child.start_byte, child.end_byte))

    def assignment(self, node: TreeNode) -> Assignment:
        text = self._text(node.start_byte, node.end_byte)
        name, _, value = text.partition("=")
        is_array = value.startswith("(")
        word = read_word(value[1:-1] if is_array else value, self._home)
        return Assignment(name=name.removesuffix("+"), value=word, is_array=is_array)

    # Words

    def words_at(self, span: Span) -> tuple[Word, ...]:
        return read_words(self._text(*span), self._home)

    def substitutions(self, node: TreeNode, depth: int) -> list[Node]:
        """The scripts in the command and process substitutions below `node`, outermost ones, in order."""
        if not node.child_count:
            return []
        if node.type in _SUBSTITUTIONS:
            return [self.statements(node, depth + 1)]
        if depth > MAX_DEPTH:
            self.problems.append(Why("not_understood", "nested too deeply"))
            return []
        return [found for child in node.children for found in self.substitutions(child, depth + 1)]


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


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Neighbours that touch are one word, also where the grammar splits it (`$"…"`, `a"b"`)."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _leaves(node: TreeNode) -> list[Span]:
    """The smallest nodes below a test, down to words but not into them."""
    if not node.child_count or node.type in ("string", "concatenation", "expansion", "simple_expansion"):
        return [(node.start_byte, node.end_byte)]
    if node.type in ("command_substitution", "process_substitution", "arithmetic_expansion"):
        return [(node.start_byte, node.end_byte)]
    return [span for child in node.children for span in _leaves(child)]
