"""The second reading: right about what is plain, silent about all else."""

from __future__ import annotations

import pytest

from helloclaw.permissions.shell.second_reading import read_runs


def runs(text: str) -> list[tuple[list[str], list[str]]] | None:
    source = text.encode()
    found = read_runs(source)
    if found is None:
        return None
    return [
        ([source[a:b].decode() for a, b in run.words], [source[a:b].decode() for a, b in run.targets]) for run in found
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls -la", [(["ls", "-la"], [])]),
        ("ls|wc -l&&echo ok;echo no", [(["ls"], []), (["wc", "-l"], []), (["echo", "ok"], []), (["echo", "no"], [])]),
        ("ls 2>/dev/null 2>&1 a", [(["ls", "a"], ["/dev/null", "1"])]),
        ("a12>x", [(["a12"], ["x"])]),
        ("echo 12>x", [(["echo"], ["x"])]),
        ("a\nb", [(["a"], []), (["b"], [])]),
        ("echo 'a\nb' \"c;d\" e\\;f", [(["echo", "'a\nb'", '"c;d"', "e\\;f"], [])]),
        ("(cd a; ls); { b; }", [(["cd", "a"], []), (["ls"], []), (["b"], [])]),
        ("if a; then b; else c; fi", [(["a"], []), (["b"], []), (["c"], [])]),
        ("echo a#b", [(["echo", "a#b"], [])]),
        ('echo $x "$y" ${z} $?', [(["echo", "$x", '"$y"', "${z}", "$?"], [])]),
    ],
)
def test_plain_texts(text: str, expected: list[tuple[list[str], list[str]]]) -> None:
    assert runs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "ls # x",
        "#",
        "echo hi #'\nx #'",
        "to\\\nuch x",
        "a\\",
        "$(x)",
        "`x`",
        '"$(x)"',
        "${x:-y}",
        "$((1))",
        "<(x)",
        "cat <<E\nx\nE",
        "cat <<<x",
        "cat <>x",
        "a {fd}>x",
        "a&b",
        "a &",
        "f(){ x; }",
        "a (b)",
        "for x in y; do z; done",
        "case x in y) z;; esac",
        "'a",
        '"a',
        "$'a",
        "a >",
        "a > > b",
        "coproc x",
        "function f { x; }",
        "a;;b",
        "a\rb",
        "a\vb",
    ],
)
def test_gives_up_on_everything_else(text: str) -> None:
    assert runs(text) is None
