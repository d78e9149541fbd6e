"""Shell texts that are made to cost time, by what they are full of."""

from __future__ import annotations

from helloclaw.permissions.shell.screen import too_much

LENGTH = 10_000


def _full(unit: str, before: str = "", after: str = "") -> str:
    """`LENGTH` characters at most: `unit` over and over."""
    return before + unit * ((LENGTH - len(before) - len(after)) // len(unit)) + after


def families() -> dict[str, tuple[str, ...]]:
    """Texts of about `LENGTH` characters each."""
    deep, nested = LENGTH // 10, LENGTH // 30
    return {
        "pipes": (_full("a|"), _full("cat|"), _full("a|&")),
        "joints": (_full("ls;"), _full("ls&&"), _full("a&"), _full("ls\n"), _full("cd a||cd b;")),
        "quotes": (_full("'a' "), _full('"a" '), _full('"'), _full("'\" "), _full("$'a' "), _full("'a'")),
        "braces": (_full("{"), _full("}"), _full("{a,b} "), _full("{a,b}"), _full("{,"), _full("{ ")),
        "globs": (_full("* "), _full("*"), _full("*/", "ls "), _full("[a", "ls "), _full("["), _full("*a", "ls ")),
        "substitutions": (
            _full("$("),
            _full("$(a)"),
            "echo $(" * deep + "a" + ")" * deep,
            _full("`a`"),
            _full("<(a) "),
        ),
        "expansions": (_full("${"), _full("${a:-"), _full("$((("), _full("$x ", "echo "), _full("echo $x;")),
        "escapes": (_full("\\"), _full("\\a"), _full("r\\m "), _full("\\\n"), _full("a \\\n")),
        "here-documents": (
            _full("cat <<E\na\nE\n"),
            _full("<<E\n"),
            _full("<<E "),
            _full("a $(b) `c`\n", "cat <<E\n", "E\n"),
            _full("some (text) $y\n", "cat > f <<'E'\n", "E\n"),
            _full("echo a\n", "bash <<'E'\n", "E\n"),
        ),
        "words": (_full("a"), _full("a" * 99 + " "), _full("a ", "ls "), _full("a/", "ls "), _full("a ", "touch ")),
        "assignments": (_full("a=1 "), _full("a=1;"), _full("a=$a$a "), _full("export a=1;"), _full("a ", "x=(", ")")),
        "parentheses": (_full("("), _full(")"), "(" * (LENGTH // 2) + ")" * (LENGTH // 2), _full("(a);"), _full("((")),
        "wrappers": (
            _full("env "),
            _full("timeout 1 "),
            _full("sh -c "),
            _full("eval "),
            _full("npx "),
            _full("xargs "),
        ),
        "commands in arguments": (
            _full("-exec ", "find . "),
            _full("foreach ", "git submodule "),
            _full("-x 'a b' ", "git rebase "),
            _full("system('a') ", 'python3 -c "', '"'),
            _full("while fork ", "python3 -c '", "'"),
            _full("a='b c' ", "alias "),
            _full("a;", "echo '", "' | sh"),
            _full("/e", "perl -e '", "'"),
        ),
        "loops": (
            "for i in a b c d;do " * nested + "ls;" + "done;" * nested,
            _full("while a;do "),
            _full("if a;then "),
            _full("f(){ "),
            _full(":(){ :|:& };:;"),
        ),
    }


def at_the_limit(text: str) -> str:
    """As much of the text's beginning as is not turned away unread."""
    least, most = 0, len(text)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (least, middle - 1) if too_much(text[:middle]) else (middle, most)
    return text[:least]
