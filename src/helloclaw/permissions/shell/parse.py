"""Shell text → `Script`, by tree-sitter's grammar of bash: how statements are put together.

What the grammar gets wrong (there is such) is for `second_reading` to catch, not to be mended here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell import script
from helloclaw.permissions.shell.parse_command import MAX_DEPTH, CommandReader
from helloclaw.permissions.shell.script import Node, Script
from helloclaw.permissions.shell.words import Piece, Word
from helloclaw.permissions.tables import names

if TYPE_CHECKING:
    import tree_sitter

    TreeNode = tree_sitter.Node

_COMMANDS = names("command variable_assignment variable_assignments declaration_command unset_command")
_REDIRECTS = names("file_redirect heredoc_redirect herestring_redirect")
_LOOPS = names("while_statement for_statement c_style_for_statement")
_HOLDS_COMMANDS = names(
    "command redirected_statement pipeline list subshell function_definition declaration_command compound_statement "
    "variable_assignment variable_assignments unset_command test_command negated_command if_statement while_statement "
    "for_statement c_style_for_statement case_statement"
)


# The grammar's scanner (0.25) hands code points to C's `isalnum`, which is undefined beyond a byte, so that some texts
# crash it. To bash every byte beyond ASCII is an ordinary character of a word, and so it is shown to the grammar.
_AS_ASCII = bytes(byte if byte < 0x80 else ord("Z") for byte in range(256))


@cache
def _parser() -> tree_sitter.Parser:
    """Made at the first use: importing the grammar takes some 20 ms that no start of the program should pay."""
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


# One command of words that nothing in bash gives a second meaning: no quote, no expansion, no operator, no pattern.
# Much of what is judged is of this kind, and needs no grammar.
_PLAIN = re.compile(r"[ \t]*[A-Za-z0-9_./][A-Za-z0-9_./-]*(?:[ \t]+[A-Za-z0-9_./:,@%+-][A-Za-z0-9_./:,=@%+-]*)*[ \t]*")
_PLAIN_WORD = re.compile(r"[^ \t]+")
# Wherever one of these is, the grammar decides what it is there.
_RESERVED = names(
    "if then elif else fi for while until do done case esac select function in time coproc declare typeset export "
    "readonly local unset unsetenv let eval"
)


def _plain(text: str) -> Script | None:
    """The structure of a plain command; None for any other text."""
    if not _PLAIN.fullmatch(text):
        return None
    words: list[Word] = []
    spans: list[tuple[int, int]] = []
    for match in _PLAIN_WORD.finditer(text):
        word = match.group()
        if word in _RESERVED:
            return None
        words.append(Word(text=word, pieces=(Piece("text", word),), value=word))
        spans.append(match.span())
    simple = script.Simple(text=text[spans[0][0] : spans[-1][1]], words=tuple(words), spans=tuple(spans))
    return Script(body=script.Statements((simple,)), plain=True)


def parse(text: str, home: str) -> Script:
    """The structure of `text`. Never fails: what can't be understood is in it as `Other`, or as a problem."""
    return _plain(text) or parse_by_grammar(text, home)


def parse_by_grammar(text: str, home: str) -> Script:
    """The same by the grammar alone."""
    source = text.encode("utf-8", "replace")
    root = _parser().parse(source.translate(_AS_ASCII)).root_node
    reader = _StatementReader(source, home)
    body = reader.statements(root, 0)
    problems = [Why("not_understood", reader.first_error(root))] if root.has_error else []
    return Script(body=body, problems=(*problems, *reader.problems))


class _StatementReader(CommandReader):
    """One reading of one text."""

    def first_error(self, node: TreeNode) -> str:
        """The first stretch of text that does not fit the grammar."""
        while not (node.is_error or node.is_missing):
            broken = next((child for child in node.children if child.has_error), None)
            if broken is None:
                break
            node = broken
        return self.text_of(node).strip()[:40] or "it ends too early"

    def statements(self, node: TreeNode, depth: int) -> script.Statements:
        items: list[Node] = []
        for child in node.children:
            if child.type == "&" and items:
                items[-1] = script.Background(items[-1])
            elif child.type == "comment":
                self.problems.append(Why("comment"))
            elif child.is_named and child.type not in ("heredoc_body", "heredoc_end"):
                items.append(self.statement(child, depth + 1))
        return script.Statements(tuple(items))

    def statement(self, node: TreeNode, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self.problems.append(Why("not_understood", "nested too deeply"))
            return script.Other(why=Why("ambiguous"), parts=())
        kind = node.type
        if kind in _COMMANDS:
            return self.simple(node.start_byte, node.end_byte, (node,), depth)
        if kind == "test_command":
            return self.test(node, depth)
        if kind == "redirected_statement":
            return self._redirected(node, depth)
        if kind in ("list", "pipeline", "negated_command"):
            return self._joined(node, depth)
        return self._compound(node, depth)

    def _joined(self, node: TreeNode, depth: int) -> Node:
        if node.type == "list" and node.child_count == 3:
            first, rest = _unrolled(node)
            return script.AndOr(
                self.statement(first, depth + 1), tuple((op, self.statement(each, depth + 1)) for op, each in rest)
            )
        within = self.statements(node, depth)
        return script.Negation(within) if node.type == "negated_command" else script.Pipeline(within.items)

    def _compound(self, node: TreeNode, depth: int) -> Node:
        kind = node.type
        if kind == "subshell":
            return script.Group(body=self.statements(node, depth), subshell=True)
        if kind == "compound_statement" and node.children[0].type == "{":
            return script.Group(body=self.statements(node, depth), subshell=False)
        if kind == "if_statement":
            return script.Conditional(parts=self._branches(node, depth))
        if kind in _LOOPS:
            return self._loop(node, depth)
        if kind == "function_definition":
            name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
            return script.Function(
                name=self.text_of(name) if name else "",
                body=self.statement(body, depth + 1) if body else script.Statements(()),
            )
        why = Why("control_flow", kind.removesuffix("_statement"))
        return script.Other(why=why, parts=self.within(node, depth))

    def _branches(self, node: TreeNode, depth: int) -> tuple[Node, ...]:
        """The statements of an `if`, its `elif` and `else` clauses included."""
        parts: list[Node] = []
        for child in node.children:
            if child.type in ("elif_clause", "else_clause"):
                parts += self._branches(child, depth + 1)
            elif child.type == "comment":
                self.problems.append(Why("comment"))
            elif child.is_named:
                parts.append(self.statement(child, depth + 1))
        return tuple(parts)

    def _loop(self, node: TreeNode, depth: int) -> script.Loop:
        body = node.child_by_field_name("body")
        tests = node.children_by_field_name("condition") if node.type == "while_statement" else []
        variable = node.child_by_field_name("variable")
        values = node.children_by_field_name("value")
        return script.Loop(
            keyword=node.children[0].type,
            test=script.Statements(tuple(self.statement(each, depth + 1) for each in tests if each.is_named))
            if tests
            else None,
            body=self.statements(body, depth + 1) if body else script.Statements(self.within(node, depth)),
            variable=self.text_of(variable) if variable else "",
            values=tuple(word for value in values for word in self.words_at((value.start_byte, value.end_byte))),
        )

    def within(self, node: TreeNode, depth: int) -> tuple[Node, ...]:
        """Every command somewhere below `node`, so that nothing in what we don't know stays unseen."""
        found: list[Node] = []
        for child in node.named_children:
            if child.type in _HOLDS_COMMANDS:
                found.append(self.statement(child, depth + 1))
            elif depth < MAX_DEPTH:
                found += self.within(child, depth + 1)
            else:
                self.problems.append(Why("not_understood", "nested too deeply"))
        return tuple(found)

    # Redirections: the grammar hangs them around all that comes before; they belong to the last command in it.

    def _redirected(self, node: TreeNode, depth: int) -> Node:
        if node.children[0].type in _REDIRECTS:
            return self.simple(node.start_byte, node.end_byte, node.children, depth)
        body, *redirects = node.children
        return self._attach(body, redirects, node.end_byte, depth + 1)

    def _attach(self, body: TreeNode, redirects: Sequence[TreeNode], end: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            return self.statement(body, depth)
        if body.type in _COMMANDS:
            simple = self.simple(body.start_byte, end, (body, *redirects), depth)
            return self._after_heredoc(simple, redirects, depth)
        if body.type in ("pipeline", "list"):
            *left, op, last = body.children
            right = self._attach(last, redirects, end, depth + 1)
            before = [self.statement(each, depth + 1) for each in left if each.is_named]
            if body.type == "list" and len(before) == 1:
                return script.AndOr(before[0], ((op.type, right),))
            return script.Pipeline((*before, right))
        holder = self.simple(body.start_byte, end, redirects, depth)
        inner = self.statement(body, depth + 1)
        if holder.words or holder.nested:
            return script.Other(why=Why("ambiguous"), parts=(inner, holder))
        held = script.Redirected(body=inner, redirects=holder.redirects)
        return self._after_heredoc(held, redirects, depth)

    def _after_heredoc(self, node: Node, redirects: Iterable[TreeNode], depth: int) -> Node:
        """What follows `<<E` on its line is, in the grammar, within the redirection."""
        for redirect in redirects:
            if redirect.type != "heredoc_redirect":
                continue
            operator = next((child.type for child in redirect.children if child.type in ("&&", "||")), "&&")
            for child in redirect.named_children:
                if child.type == "pipeline":
                    node = script.Pipeline((node, *self.statements(child, depth).items))
                elif child.type in _HOLDS_COMMANDS:
                    node = script.AndOr(node, ((operator, self.statement(child, depth + 1)),))
        return node


def _unrolled(node: TreeNode) -> tuple[TreeNode, list[tuple[str, TreeNode]]]:
    """A chain of `&&` and `||`, which the grammar nests to the left, as a flat one: it may be very long."""
    rest: list[tuple[str, TreeNode]] = []
    while node.type == "list" and node.child_count == 3:
        node, op, right = node.children
        rest.append((op.type, right))
    return node, rest[::-1]
