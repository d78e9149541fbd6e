"""Programs for `awk`: those that only look pass, and where two `awk`s or we could read one in two ways, it does not."""

from __future__ import annotations

import pytest

from helloclaw.permissions.shell.awk import awk_reads
from helloclaw.permissions.shell.reads import File, Reads


@pytest.mark.parametrize(
    "program",
    [
        "{print $1}",
        "1",
        "/^def /{print FILENAME\":\"FNR\": \"$0}",
        "NR>=10 && NR<=20",
        "$3 > 100 {print $1, $2}",
        "{if ($1 > 5) print $2; else print \"x\"}",
        "{a[$1]+=$2} END {for (k in a) printf \"%s %d\\n\", k, a[k]}",
        "BEGIN{FS=\",\"} {for (i=1;i<=NF;i++) s+=$i} END{print s/NR}",
        "{print $2/1024/1024 \" MB\"}",
        "{gsub(/[^a-z]/, \"\"); print length($0)}",
        "length > 80",
        "/\"name\"/ {print}",
        "/[[:space:]]/,/^$/",
        "{print (1 > 2)}",
        "!seen[$0]++",
    ],
)  # fmt: skip
def test_what_only_looks(program: str) -> None:
    assert awk_reads(["-F:", "-v", "n=1", program, "a", "-"]) == Reads(files=(File("a"),))


@pytest.mark.parametrize(
    "program",
    [
        "{print > \"out\"}",
        "{print >> \"out\"}",
        "{print $1 > $2}",
        "{print (1)(2) > \"out\"}",
        "{print a[1 > 2]}",
        "{printf(\"x\") > \"out\"}",
        "{if (1) { print > \"out\" }}",
        "{print | \"sh\"}",
        "{print |& \"sh\"}",
        "BEGIN{system(\"id\")}",
        "BEGIN{system (\"id\")}",
        "BEGIN{\"id\" | getline; print}",
        "BEGIN{while ((getline line < \"/etc/passwd\") > 0) print line}",
        "BEGIN{print ENVIRON[\"HOME\"]}",
        "BEGIN{ARGV[1]=\"/etc/passwd\"} 1",
        "BEGIN{for (k in PROCINFO) print k}",
        "BEGIN{for (ARGC=1;ARGC<9;ARGC++) print}",
        "BEGIN{for (k=ARGV;k<9;k++) print}",
        "BEGIN{print SYMTAB[\"ENVIRON\"]}",
        "@load \"x\"",
        "@include \"x\"",
        "function f() {system(\"id\")} {f()}",
        "BEGIN{f=\"system\"; @f(\"id\")}",
        "BEGIN{while (1) print}",
        "{if (x) /\"/ ; print > \"out\" ; /\"/}",  # a division for us would be a pattern for it
        "{x = $1 / \"a\" ; print > \"b/\"}",
        "{print length / 2 > \"out\" / 1}",
        "{x++ /2/ 1}",
        "/[/]/ {print}",  # not every `awk` ends the pattern there
        "{print \"a\\\nb\"}",
        "{print} # x",
        "{print",
        "print}",
        "{print $(1}",
        "x(1)",
    ],
)  # fmt: skip
def test_what_may_do_more(program: str) -> None:
    assert not isinstance(awk_reads([program, "a"]), Reads)


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["-f", "program"], ["-fprogram"], ["-i", "inplace", "1"], ["-v", "ARGV=1", "1"], ["-v", "x", "1"],
        ["-v"], ["-W", "exec=x", "1"], ["--file=x", "1"], ["-e", "1"], ["1", "-f", "x"], ["-E", "x"], ["-o", "1"],
    ],
)  # fmt: skip
def test_options_that_are_not_known(arguments: list[str]) -> None:
    assert not isinstance(awk_reads(arguments), Reads)
