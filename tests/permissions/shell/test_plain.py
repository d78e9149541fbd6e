"""Plain commands are read without the grammar: they have to come out as it, and the second reading, have them."""

from __future__ import annotations

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from helloclaw.permissions.shell.parse import parse, parse_by_grammar
from helloclaw.permissions.shell.proof import _runs  # pyright: ignore[reportPrivateUsage]
from helloclaw.permissions.shell.second_reading import read_runs
from helloclaw.permissions.tables import names

_HOME = "/home/me"
_SAMPLES = names(
    "rm -rf a=b a+=b x.y /bin/ls --a=b 1 2 - -- . .. a,b @ %1 a:b = == + -= x= test echo time1 100 0x1 3.4 -1 a@b +x "
    "1a _ ./x ..= ! in if [ [[ { } time for export declare let git add HEAD~1 a;b a|b 'a' ~ # a#b"
)
_WORDS = st.one_of(
    st.sampled_from(sorted(_SAMPLES)),
    st.text("abr1./-_=:,@%+", min_size=1, max_size=5),
)


def _joined(before: str, words: list[str], space: str, after: str) -> str:
    return before + space.join(words) + after


_TEXTS = st.builds(
    _joined,
    st.sampled_from(["", " ", "\t"]),
    st.lists(_WORDS, min_size=1, max_size=6),
    st.sampled_from([" ", "  ", "\t"]),
    st.sampled_from(["", " ", "\n"]),
)


@given(_TEXTS)
@example("git status --short")
@example(" rm  -rf a=b ")
def test_a_plain_command_is_what_the_grammar_makes_of_it(text: str) -> None:
    script = parse(text, _HOME)
    if script.plain:
        assert msgspec.structs.replace(script, plain=False) == parse_by_grammar(text, _HOME)
        assert read_runs(text.encode()) == tuple(_runs(script.body))
    else:
        assert script == parse_by_grammar(text, _HOME)


def test_most_simple_commands_are_plain() -> None:
    texts = ("ls", "git status --short", "python3 -m pytest -q tests/a.py", "make -j4 CC=gcc", "./run.sh a,b")
    assert [text for text in texts if not parse(text, _HOME).plain] == []
    texts = ("a=1 ls", "ls *", "ls 'a'", "ls | wc", "ls\n", "if", "export a=1", "ls #a", "! ls", "ls ~", "\u00e4", "")
    assert [text for text in texts if parse(text, _HOME).plain] == []
