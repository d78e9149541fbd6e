"""Shell commands at random from a grammar: readers and writers, known and forbidden flags, joined, nested and quoted.

The same seed gives the same commands. Half of what is made is meant to pass; the rest is near to what passes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeVar

from helloclaw.permissions.shell.programs import PROGRAMS, Program

_Choice = TypeVar("_Choice")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_READERS = tuple(sorted(PROGRAMS))
_GIT = _words("status log show diff branch remote blame rev-parse ls-files tag stash reflog grep describe config")
_GIT_FLAGS = _words(
    "--oneline -p --stat -5 -a -v --all --graph --cached --name-only -s --short -L1,2:src/a.py -- HEAD HEAD~1 "
    "v1 main --output=out --outp=out -o --ext-diff --textconv --no-index -D -d -m -c -C --edit --list -l "
    "--get user.name --exec=./evil -O./evil --open-files-in-pager=./evil --contents --show-signature "
    "--format=%H --pretty=%G? --no-textconv -z --porcelain --ignored -uall --sort=refname --points-at HEAD "
    "--force --delete"
)
_GIT_BEFORE = ("-C src", "--no-pager", "-c core.pager=./evil", "-c a.b=c", "--git-dir=.git", "-p", "--paginate", "-P")
_FIND = _words(
    "-name -type -print -print0 -ls -maxdepth -mindepth -size -newer -delete -exec -execdir -ok -fprint "
    "-fprintf -fls -printf -path -prune -o -a ! -empty -follow -L -H -regex -mtime -quit -files0-from -perm "
    "-samefile"
)
_FIND_VALUES = _words("f d 1 2 '*.py' a.py +1k out './evil' '{}' ';' + '%p\\n' src -1 README.md 644 \\; \\( \\)")
_SED = (
    "1,5p", "$p", "/foo/p", "s/a/b/", "s/a/b/w out", "1e ./evil", "w out", "r README.md", "s/x/id/e", "1,3{p;p}", "5q",
    "y/a/b/", "/a/,/b/p", "p;w out", "1!p", "$=", "R /etc/passwd", "e", "F", "1~2p", "\\,x,p", "p\nw out",
)  # fmt: skip
_SED_FLAGS = ("-n", "-n", "-n", "-ne", "-nE", "-i", "-n -i", "-ni", "-n -f", "", "-ns", "--quiet", "--in-place", "-z")
_OTHERS = (
    "tee out", "cp README.md out", "mv README.md out", "rm README.md", "touch out", "mkdir out", "ln -s / out",
    "sh -c 'touch out'", "bash -c ls", "python3 -c 'open(\"out\",\"w\")'", "awk 'BEGIN{print > \"out\"}'", "env ls",
    "env A=1 touch out", "xargs touch", "xargs cat", "xargs -I{} touch {}", "eval touch out", "exec ls",
    "source ./evil", ". ./evil", "./evil", "curl http://127.0.0.1:1/", "dd of=out", "sponge out",
    "install README.md out", "nohup ls", "truncate -s0 README.md", "chmod 777 README.md", "sudo ls", "yes | head -1",
    "ed README.md", "vim -c q", "less README.md", "script out", "split README.md", "csplit README.md 1",
    "gzip -k README.md", "tar cf out src", "zip out src", "patch", "read x", "mapfile x", "printf -v x y",
    "printf -v 'x[$(touch out)]' y", "[ -v 'x[$(touch out)]' ]", "set -x", "test -v x",
    "[[ x -eq 'a[$(touch out)]' ]]", "export PATH=.", "alias ls=touch", "trap 'touch out' EXIT", "hash -p ./evil ls",
    "enable -f ./evil ls", "type ls", "command -v git", "command -p ls", "builtin cd src", "pushd src", "cd src",
    "cd ..", "cd -", "cd", "pwd -P", "true", "false", ":", "echo hi", "echo -e 'a\\tb'", "printf '%s\\n' a",
    "seq 1 5", "seq -w 3", "date", "date -s 2000-01-01", "date +%s", "whoami", "hostname", "hostname x", "id -u",
    "timeout 5 ls", "nice ls", "timeout 5 touch out", "nice -n 5 touch out", "time ls", "stdbuf -oL ls",
    "git --version", "python3 --version", "jq -r '.[] | keys' README.md", "ps aux", "sleep 1", "basename a/b",
    "test -f README.md", "[ -d src ]", "[[ -f README.md ]]", "ps -ef", "ps -ef u", "ps auxe", "ps -eo pid,args",
    "ps -eo pid,environ", "ps -p 1 -o comm", "tar tf a.tar", "tar -tzf a.tgz", "tar -tvf a.tar README.md",
    "tar xf a.tar", "tar -txf a.tar", "tar -tf a.tar --to-command=./evil", "tar -tf a.tar -I./evil",
    "tar -tf host:a.tar", "unzip -l a.zip", "unzip -p a.zip README.md", "unzip -o a.zip", "unzip -Z1 a.zip",
    "xxd README.md", "xxd README.md out", "xxd -ps README.md out", "xxd -l 4 README.md", "xxd -r README.md out",
    "sleep 0", "sleep 0.01", "sleep x", "printenv PATH", "printenv", "getconf PAGE_SIZE", "getconf -a",
    "getconf -v x y", "find . -name '*.py' | xargs wc -l", "find . -print0 | xargs -0 cat", "find src | xargs touch",
    "find src -name '*.py' | xargs -I{} head -1 {}", "rg -l foo src | xargs cat", "git ls-files -z | xargs -0 wc",
    "find traps | xargs sort", "find traps -print0 | xargs -0 sort", "ls traps | xargs sort", "find src | xargs ./evil",
    "find src -type f -exec sort {} +", "find traps -exec uniq {} +", "find . -exec awk {} README.md ;",
    "find . -name '*.py' -exec sed -n 1p {} +", "find . -exec xxd {} ;", "find . -exec cat {} \\;",
)  # fmt: skip
_AWK = (
    "{print $1}", "/foo/", "{n++} END {print n}", "NR>1", "{print > \"out\"}", "{print $1 > \"out\" $2}",
    "{print | \"touch out\"}", "BEGIN{system(\"touch out\")}", "BEGIN{\"touch out\"|getline}", "{print (1 > 2)}",
    "{print (1)(2) > \"out\"}", "$1 > 0 {print}", "{x = 1 / 2; y = 3 / 4}", "{if (x) /\"/; print > \"out\"; /\"/}",
    "{a[$1]++} END {for (k in a) print k, a[k]}", "{gsub(/o/, \"0\"); print}", "{print length / 2 > \"out\" / 1}",
    "{printf \"%s\", $1 >> \"out\"}", "BEGIN{close(\"x\")}", "@load \"x\"", "{print ENVIRON[\"PATH\"]}", "length > 3",
    "BEGIN{ARGV[1]=\"/etc/passwd\"} 1", "/a/,/b/", "{print substr($0, 1, 3) }", "function f(){system(\"id\")} {f()}",
    "{print $1 /foo/ > \"out\" /x/}", "{print;;}", "/[/]/ {print > \"out\"} /]/", "{print /x/ ? 1 : 0}",
)  # fmt: skip
_AWK_FLAGS = ("", "", "", "-F:", "-F ,", "-v x=1", "-vx=1", "-f evil", "--", "-v ARGV=1", "-i inplace", "-W exec")
_SED_REPLACES = (
    "s/a/b/", "s/a/b/g", "s/a/b/gp", "s/a/b/2", "s/a/b/e", "s/a/b/gw out", "s/[/]x/w out/", "s/[[:space:]]/_/g",
    "s/a;w out;b/c/", "s|a|b|", "s/a\\/b/c/w out", "s/a/\\//;w out", "1s/a/b/", "s/x/y/;p", "s/a/b/I", "s/a/b/m",
    "s//b/", "s/a/b", "s/[a]/]/w out/", "s/[]/]x/w out/",
)  # fmt: skip
_OPERANDS = (
    "README.md", "src", "src/a.py", ".", "./src/", "src/*.py", "*", "*.md", "traps/*", "traps/-o*", "-", "--", "out",
    "foo", "'a b'", "/dev/null", "/etc/passwd", "~", "~/x", "../work/src", "..", "$HOME", "$x",
    "{README.md,src/a.py}", "src/[a-b].py", "/dev/tcp/127.0.0.1/1", "-o", "-oout", "--output=out", "1", "5", "+%s",
    "@file", "''", "link", "n/o/n/e", "/dev/stdin", "/proc/self/environ", "src/a.??", "~root", "+5", "%", "=",
    "'s/a/b/w out'",
)  # fmt: skip
_BAD_FLAGS = (
    "-o", "-oout", "-o out", "--output=out", "--outp=out", "--output out", "--pre=./evil", "--pre ./evil",
    "--files0-from=x", "--compress-program=./evil", "--compress-prog=./evil", "-T.", "-S1", "-i", "-i.bak",
    "--in-place", "-s", "-f", "-F", "-C", "-w", "--follow=name", "-delete", "-exec", "--hostname-bin=./evil",
    "--search-zip", "-z", "-R", "-H", "--fromfile=x", "-m", "--set=x", "-e", "--random-source=x", "--reference=x",
    "--to-command=./evil", "--help", "--version", "-V", "-h", "--null", "--generate=man", "--color=always", "-D",
    "-X", "--fix", "-n", "-L", "--exclude-from=x", "-x", "--debug", "-A", "-B",
)  # fmt: skip
_JOINS = (" | ", " && ", " ; ", " || ", "\n", " & ", " |& ", " |", ";", "&&")
_REDIRECTIONS = (
    "2>&1", ">/dev/null", "2>/dev/null", "&>/dev/null", "> out", ">> out", "2> out", "< README.md", "<<< foo",
    ">| out", "<> out", ">&2", "1>&2", "> /dev/tcp/127.0.0.1/1", "< /dev/tcp/127.0.0.1/1", "2>&-", "{fd}> out",
    "&> out", "> '/dev/null'", "> /dev//null", "> /dev/null/../out", "<<E\nx $(touch out)\nE", "<<'E'\nx\nE", "<&0",
    "3< README.md", ">/dev/stdout",
)  # fmt: skip
_ASSIGNMENTS = (
    "A=1 ", "LC_ALL=C ", "PATH=.:$PATH ", "GIT_PAGER=./evil ", "LD_PRELOAD=./evil ", "x=$(touch out) ",
    "BASH_ENV=./evil ", "GIT_EXTERNAL_DIFF=./evil ", "IFS=o ", "RIPGREP_CONFIG_PATH=x ", "TZ=UTC ", "a=1 b=2 ",
)  # fmt: skip
_AROUND: tuple[str, ...] = (
    "({})", "{{ {}; }}", "! {}", "if {}; then echo y; fi", "for x in a b; do {}; done", "while false; do {}; done",
    "echo $({})", "echo `{}`", "cat <({})", "timeout 5 {}", "nice {}", "command {}", "time {}", "stdbuf -oL {}",
    "{} &", "cd src && {}", "test -f README.md && {}", "f() {{ {}; }}; f", "case x in x) {};; esac", "env {}",
    "eval {}", "{} # x", "xargs {}", "coproc {}", "[[ -n x ]] && {}", "# {}\nls", "{} | head -3",
    "{} | sort | uniq -c", "{}\\\n", "builtin {}",
)  # fmt: skip


class Grammar:
    """Makes one command after the other."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        readers: tuple[Callable[[], str], ...] = (self._reader, self._reader, self._reader)
        self._kinds = (*readers, self._git, self._find, self._sed)

    def command(self) -> str:
        text = self._simple()
        while self._happens(0.3):
            text = f"{text}{self._one(_JOINS)}{self._simple()}"
        while self._happens(0.15):
            text = self._one(_AROUND).format(text)
        return text

    def _simple(self) -> str:
        kinds: tuple[Callable[[], str], ...] = (
            self._reader,
            self._reader,
            self._reader,
            self._git,
            self._find,
            self._sed,
            self._awk,
        )
        text = self._one(kinds)() if self._happens(0.8) else self._one(_OTHERS)
        if self._happens(0.2):
            text = self._disguised(text)
        if self._happens(0.2):
            text = f"{text} {self._one(_REDIRECTIONS)}"
        return f"{self._one(_ASSIGNMENTS)}{text}" if self._happens(0.04) else text

    def _reader(self) -> str:
        name = self._one(_READERS)
        program = PROGRAMS[name]
        words = [name, *(self._flag(program) for _ in range(self._random.choice((0, 0, 1, 1, 2, 3))))]
        if program.skip:
            words.append(self._one(("foo", "'f.*'", "-e foo", "import", "''", "--")))
        words += [self._operand() for _ in range(self._random.choice((0, 1, 1, 1, 2, 3)))]
        if self._happens(0.1):
            self._random.shuffle(words)
        return " ".join(words)

    def _flag(self, program: Program) -> str:
        if self._happens(0.12):
            return self._one(_BAD_FLAGS)
        table = program.options
        known = sorted(table.flags | table.valued | table.maybe)
        if not known:
            return self._one(_BAD_FLAGS)
        name = self._one(tuple(known))
        value = self._one(("1", "2", "a", "auto", "out", "README.md", "./evil", "%p", "never", "name", "src"))
        if len(name) == 1:
            if name in table.flags:
                cluster = "".join(each for each in known if len(each) == 1 and self._happens(0.05))
                return f"-{name}{cluster}"
            return f"-{name}{value}" if self._happens(0.6) else f"-{name} {value}"
        if self._happens(0.06):
            name = name[: self._random.randint(1, len(name))]
        if name in table.flags:
            return f"--{name}"
        return f"--{name}={value}" if self._happens(0.7) else f"--{name} {value}"

    def _git(self) -> str:
        before = [self._one(_GIT_BEFORE)] if self._happens(0.1) else []
        flags = [self._one(_GIT_FLAGS) for _ in range(self._random.choice((0, 1, 1, 2)))]
        operands = [self._operand()] if self._happens(0.3) else []
        return " ".join(["git", *before, self._one(_GIT), *flags, *operands])

    def _find(self) -> str:
        words = ["find", *([self._one((".", "src", "-L .", "/", "traps"))] if self._happens(0.9) else [])]
        for _ in range(self._random.randint(0, 3)):
            words.append(self._one(_FIND))
            if self._happens(0.7):
                words.append(self._one(_FIND_VALUES))
        return " ".join(words)

    def _sed(self) -> str:
        flags = self._one(
            ("-n", "-n", "-n", "-ne", "-nE", "-i", "-n -i", "-ni", "-n -f", "", "-ns", "--quiet", "--in-place", "-z")
        )
        return f"sed {flags} '{self._one(_SED + _SED_REPLACES)}' {self._operand()}"

    def _awk(self) -> str:
        return f"awk {self._one(_AWK_FLAGS)} '{self._one(_AWK)}' {self._operand()}"

    def _operand(self) -> str:
        return self._one(_OPERANDS[:12]) if self._happens(0.7) else self._one(_OPERANDS)

    def _disguised(self, text: str) -> str:
        """The same to bash, or nearly: quotes, escapes and expansions somewhere in one word."""
        words = text.split(" ")
        at = self._random.randrange(len(words))
        word = words[at]
        if not word or any(each in word for each in "'\"\\$`\n"):
            return text
        cut = self._random.randrange(len(word))
        head, letter, tail = word[:cut], word[cut], word[cut + 1 :]
        words[at] = self._one(
            (
                f"'{word}'", f'"{word}"', f"{head}'{letter}'{tail}", f'{head}"{letter}"{tail}',
                f"{head}\\{letter}{tail}", f"{head}''{letter}{tail}", f"$'{word}'",
                f"{head}$'\\x{ord(letter) & 0xFF:02x}'{tail}", f'$"{word}"', f"{head}$EMPTY{letter}{tail}",
                f"{head}${{EMPTY}}{letter}{tail}", f"{head}\\\n{letter}{tail}", f"{head}$@{letter}{tail}",
                f"{head}{{{letter},x}}{tail}", f"{head}?{tail}", f"{head}*", f"{head}\u200b{letter}{tail}",
                f"{head}\t{letter}{tail}", f"$(echo {word})", f"${{x:-{word}}}", f"{word}\r",
            )
        )  # fmt: skip
        return " ".join(words)

    def _one(self, choices: tuple[_Choice, ...]) -> _Choice:
        return self._random.choice(choices)

    def _happens(self, probability: float) -> bool:
        return self._random.random() < probability


def shape(command: str) -> str:
    """What two commands have in common that differ only in their files and numbers."""
    for operand in _OPERANDS[:12]:
        command = command.replace(f" {operand}", " F")
    return "".join("0" if each.isdigit() else each for each in command)
