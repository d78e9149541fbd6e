"""Code, diffs and plain text as rows."""

from __future__ import annotations

from helloclaw.repl.output.painter import Painter
from helloclaw.repl.output.theme import Depth, palette_for

DIFF = """\
diff --git a/src/app.py b/src/app.py
index 1234567..89abcde 100644
--- a/src/app.py
+++ b/src/app.py
@@ -1,4 +1,5 @@
 import os
-x = 1
+x = 2
+名字 = "一个很长的中文字符串，一个很长的中文字符串"

 end
@@ -98,2 +99,2 @@ def f():
-a
+--- no name
 b
\\ No newline at end of file
"""


def painter(width: int = 40, depth: Depth = "none") -> Painter:
    return Painter(width, depth, palette_for("auto", {}))


def test_a_diff_has_numbers_and_signs() -> None:
    assert painter().diff(DIFF).splitlines() == [
        "src/app.py",
        "  1   import os",
        "  2 - x = 1",
        "  2 + x = 2",
        '  3 + 名字 = "一个很长的中文字符串，一个',
        '      很长的中文字符串"',
        "  4",
        "  5   end",
        "   ⋯",
        " 98 - a",
        " 99 + --- no name",
        "100   b",
        "    \\ No newline at end of file",
    ]
    assert painter().diff(DIFF, limit_rows=2) == "src/app.py\n  1   import os\n"


def test_a_diff_in_colour() -> None:
    assert painter(40, "16").diff("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n").splitlines() == [
        "\x1b[2mx\x1b[0m",
        "\x1b[2m  1   \x1b[0ma",
        "\x1b[31m  2 - \x1b[0m\x1b[31mb\x1b[0m",
        "\x1b[32m  2 + \x1b[0m\x1b[32mc\x1b[0m",
    ]


def test_files_that_come_and_go() -> None:
    assert painter().diff("--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n") == "new\n  1 + x\n"
    assert painter().diff("--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n--- a/b\n+++ b/b\n@@ -3 +3 @@\n-1\n+2\n") == (
        "old\n  1 - x\nb\n  3 - 1\n  3 + 2\n"
    )


def test_what_is_no_diff_is_shown_as_it_is() -> None:
    assert painter().diff("--- a\nBinary files differ\n@@ nonsense\n") == "--- a\nBinary files differ\n@@ nonsense\n"


def test_nothing_in_a_diff_can_steer_the_terminal() -> None:
    assert painter().diff("--- a/x\n+++ b/\x1b[2Jx\n@@ -0,0 +1 @@\n+\x1b[31m\u202ered\n") == (
        "\\x1b[2Jx\n  1 + \\x1b[31m\\u202ered\n"
    )


def test_code_keeps_its_blanks() -> None:
    assert painter(30).code("def f():\n\treturn 'a very long line that is cut'\n\n\n", "python").splitlines() == [
        "  def f():",
        "      return 'a very long line",
        "   that is cut'",
    ]


def test_code_that_goes_on_over_lines_keeps_its_colour() -> None:
    def colours(text: str, language: str) -> list[str]:
        return painter(60, "16").code(text, language, indent="").splitlines()

    comment = "\x1b[2;3m{}\x1b[0m".format
    string = "\x1b[32m{}\x1b[0m".format
    assert colours("/* one\n   two */ int x;\n", "c") == [
        comment("/* one"),
        f"{comment('   two */')} \x1b[35mint\x1b[0m x;",
    ]
    assert colours('x = """one\ntwo"""  # three\n', "python") == [
        "x = " + string('"""one'),
        string('two"""') + "  " + comment("# three"),
    ]
    assert colours("<!--\n a -->\n", "xml") == [comment("<!--"), comment(" a -->")]
    assert colours("cat <<E\n$x\nE\nif\n", "bash")[1:] == [string("$x"), string("E"), "\x1b[35mif\x1b[0m"]
    assert colours("`a\nb`\n", "go") == [string("`a"), string("b`")]
    assert colours("a: 1\nb: 'x'\n", "yaml") == ["\x1b[34ma\x1b[0m: 1", "\x1b[34mb\x1b[0m: " + string("'x'")]
    assert colours("nothing known\n", "no-such-language") == ["nothing known"]


def test_plain_text_is_wrapped_and_indented() -> None:
    assert painter(20).plain("some words in a row\x1b[2J\n\tand more", "dim", indent="  ") == (
        "  some words in a\n  row\\x1b[2J\n      and more\n"
    )


def test_another_palette_shows_at_once() -> None:
    one = painter(20, "16")
    before = one.plain("x", "warn")
    one.palette = palette_for("light", {})
    assert (before, one.plain("x", "warn")) == ("\x1b[33mx\x1b[0m\n", "\x1b[35mx\x1b[0m\n")
