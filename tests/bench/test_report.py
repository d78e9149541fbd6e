"""The table that bench/run prints."""

from __future__ import annotations

from bench.report import Row, table


def test_medians_with_their_ratio_to_ours() -> None:
    rows = [
        Row(title="`--help`", unit="ms", digits=0, values={"us": [41, 40, 90], "one": [99, 101, 100], "two": [4000]}),
        Row(title="one step", unit="ms", digits=2, values={"us": [2.0], "one": [3.0], "two": []}),
    ]
    assert table(rows, ["us", "one", "two"], against="us") == (
        "| | us | one | two |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| `--help`, ms | 41 | 100 (2.4×) | 4000 (98×) |\n"
        "| one step, ms | 2.00 | 3.00 (1.5×) | – |\n"
    )


def test_a_subject_that_failed_leaves_the_others_numbers() -> None:
    row = Row(title="first turn", unit="ms", digits=0, values={"one": [100]})
    assert table([row], ["us", "one"], against="us").splitlines()[-1] == "| first turn, ms | – | 100 |"
