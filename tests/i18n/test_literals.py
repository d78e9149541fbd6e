"""No text for a person stands outside the catalogue: the parts that people see are read, literal by literal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helloclaw.i18n.en import TEXTS as EN
from tests.i18n.sources import SOURCES, literals

PARTS = ("app", "cli", "repl", "slash", "doctor", "wording")
SEEN = sorted(path for part in PARTS for path in (SOURCES / part).rglob("*.py"))
PROSE = re.compile(r"[A-Za-z]{2,}[,;:.!?]* [A-Za-z]{2,}|[\u3400-\u9fff]")

# What looks like a text for a person and is none, each with the reason.
FOR_THE_MODEL = "a model reads it, and texts for models are English"
TASK = "the name of a task, for whoever debugs"
MARKUP = "HTML or CSS"
ALLOWED = {
    "app/parts.py": [("load prices", TASK)],
    "app/subagents.py": [
        ("Subagents go ", FOR_THE_MODEL),
        (" deep; do this yourself", FOR_THE_MODEL),
        (" subagents run already; wait for one of them", FOR_THE_MODEL),
        ("The subagent could not run: ", FOR_THE_MODEL),
        ("The subagent failed: ", FOR_THE_MODEL),
        ("no reason given", FOR_THE_MODEL),
        ("\n(It was stopped at its limit of ", FOR_THE_MODEL),
        ("(no answer)", FOR_THE_MODEL),
    ],
    "app/timekeeping.py": [("the changed schedules wait for trust: %s", "the log's")],
    "slash/cron.py": [
        ("<scheduled-tasks>\n[Scheduled task, tried by the person]\n", FOR_THE_MODEL),
        ("clear hard", "what a person types"),
    ],
    "app/rules.py": [
        ("the rule ", FOR_THE_MODEL),
        (" is about that address; fetch it by itself", FOR_THE_MODEL),
    ],
    "doctor/trial.py": [
        ('Call the tool echo with the word "', FOR_THE_MODEL),
        ('". Say nothing else.', FOR_THE_MODEL),
        ("Repeats a word.", FOR_THE_MODEL),
    ],
    "repl/compose/history.py": [("-----begin [a-z ]{0,30}private key", "a pattern of what is not kept")],
    "repl/compose/reading.py": [
        ("[the file is empty]", FOR_THE_MODEL),
        ("[cut after line ", FOR_THE_MODEL),
        ("; use read_file to read on]", FOR_THE_MODEL),
        ("[the directory is empty]", FOR_THE_MODEL),
        ('<file path="', FOR_THE_MODEL),
        ("[cut within line 1", FOR_THE_MODEL),
        ("; use a tool to read on]", FOR_THE_MODEL),
        ('<directory path="', FOR_THE_MODEL),
    ],
    "repl/compose/shell_line.py": [
        ("The user ran this command in their shell.\n$ ", FOR_THE_MODEL),
        ("\nexit code: ", FOR_THE_MODEL),
        (" characters left out …]\n", FOR_THE_MODEL),
    ],
    "repl/conversation.py": [("typed lines", TASK), ("typed line", TASK)],
    "repl/first_start/wizard.py": [
        ("local servers", TASK),
        ("asked before something to talk to was chosen", "an assertion: a defect, never said to a person"),
    ],
    "repl/plain_ask.py": [("是", "what a person may type"), ("否", "what a person may type")],
    "wording/page.py": [
        ("default-src 'none'", "a policy for browsers"),
        ("<!doctype html>", MARKUP),
        ('<html lang="', MARKUP),
        ('"><head><meta charset="utf-8">', MARKUP),
        ('<meta http-equiv="Content-Security-Policy"', MARKUP),
        ('<meta name="', MARKUP),
        ("noopener noreferrer", MARKUP),
        ('<hr><p class="rule">', MARKUP),
        ('<pre class="diff">', MARKUP),
        (' class="failed"', MARKUP),
        ('<section class="', MARKUP),
        ('<span class="', MARKUP),
        ('<p><img alt="', MARKUP),
    ],
}


@pytest.mark.parametrize("path", SEEN, ids=lambda path: str(path.relative_to(SOURCES)))
def test_no_sentence_is_outside_the_catalogue(path: Path) -> None:
    allowed = [start for start, _ in ALLOWED.get(str(path.relative_to(SOURCES)), [])]
    found = [
        f"{literal.place}: {literal.text!r}"
        for literal in literals(path)
        if PROSE.search(literal.text) and literal.text not in EN and not literal.text.startswith(tuple(allowed))
    ]
    assert found == []


def test_nothing_is_allowed_that_is_not_there() -> None:
    there = {str(path.relative_to(SOURCES)): [literal.text for literal in literals(path)] for path in SEEN}
    stale = [
        (name, start)
        for name, rows in ALLOWED.items()
        for start, _ in rows
        if not any(text.startswith(start) for text in there.get(name, []))
    ]
    assert stale == []
