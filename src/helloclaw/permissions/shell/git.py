"""The Git commands that are known to only read, with the options that are known to be inert. Pure.

Left out on purpose: `-c` and `--exec-path` (name programs), `--output` (writes), `--ext-diff`, `--textconv`, `grep -O`
(run programs), `--show-signature` and `%G…` (run gpg), `-p/--paginate` (runs the pager), `remote show` (asks the
network), `--no-index`, `--contents`, `-O`, `-X` (read any file), `--remerge-diff` (writes objects).
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Sequence
from types import MappingProxyType

from msgspec import Struct

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.options import Given, Options, Unknown, options, read_options
from helloclaw.permissions.shell.reads import NOTHING, File, Reads
from helloclaw.permissions.tables import names

_REVISIONS = (
    "all branches? tags? remotes? glob~ exclude~ max-count= skip= since= after= until= before= author= committer= "
    "grep= all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp basic-regexp merges "
    "no-merges min-parents~ max-parents~ first-parent reverse date-order author-date-order topo-order left-right "
    "left-only right-only cherry-pick cherry-mark cherry boundary ancestry-path? simplify-by-decoration "
    "simplify-merges full-history dense sparse walk-reflogs merge follow objects count"
)
_SHOWN = (
    "oneline pretty? format~ abbrev-commit no-abbrev-commit abbrev? decorate? no-decorate decorate-refs~ "
    "decorate-refs-exclude~ graph no-graph date= relative-date source mailmap use-mailmap no-mailmap encoding~ notes? "
    "no-notes expand-tabs? no-expand-tabs log-size clear-decorations parents children"
)
_DIFFED = (
    "patch no-patch unified? raw patch-with-raw patch-with-stat stat? stat-width~ stat-name-width~ stat-count~ "
    "compact-summary numstat shortstat dirstat? cumulative summary name-only name-status minimal patience "
    "histogram anchored~ diff-algorithm~ no-renames find-renames? find-copies? find-copies-harder full-index "
    "binary no-prefix src-prefix~ dst-prefix~ default-prefix line-prefix~ inter-hunk-context~ function-context "
    "word-diff? word-diff-regex~ color-words? color? no-color color-moved? no-color-moved color-moved-ws~ check "
    "ignore-all-space ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines "
    "ignore-matching-lines~ exit-code quiet text no-ext-diff no-textconv ignore-submodules? diff-filter~ "
    "pickaxe-all pickaxe-regex find-object~ relative? no-relative root combined-all-paths cc diff-merges~ "
    "no-diff-merges indent-heuristic no-indent-heuristic ita-visible-in-index ita-invisible-in-index"
)
_LOG = options("0zcmpusiEFPgtqabwRWn:S:G:L:U::l:I:M::C::B::X::", f"{_REVISIONS} {_SHOWN} {_DIFFED}", digits=True)


class GitCommand(Struct, frozen=True, kw_only=True):
    """`operands`: how many there may be. `with_any`: options of which one has to be given for there to be operands."""

    options: Options
    operands: int = 1000
    with_any: tuple[str, ...] = ()


_COMMANDS: MappingProxyType[str, GitCommand] = MappingProxyType(
    {
        "status": GitCommand(
            options=options(
                "sbvzu::",
                "short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? null "
                "column? no-column ahead-behind no-ahead-behind renames no-renames find-renames?",
            )
        ),
        "log": GitCommand(options=_LOG),
        "show": GitCommand(options=_LOG),
        "whatchanged": GitCommand(options=_LOG),
        "rev-list": GitCommand(options=_LOG),
        "reflog": GitCommand(options=_LOG),
        "shortlog": GitCommand(options=options("nsecw::", f"numbered summary email committer group= {_REVISIONS}")),
        "diff": GitCommand(
            options=options(
                "0zcmpusabwRWqS:G:U::l:I:M::C::B::X::",
                f"cached staged merge-base base ours theirs {_DIFFED}",
                digits=True,
            )
        ),
        "branch": GitCommand(
            options=options(
                "arvqil",
                "all remotes list show-current verbose quiet ignore-case color? no-color column? no-column sort= "
                "format= contains= no-contains= merged? no-merged? points-at= abbrev? no-abbrev",
            ),
            with_any=("l", "list", "contains", "no-contains", "merged", "no-merged", "points-at"),
        ),
        "tag": GitCommand(
            options=options(
                "lin::",
                "list sort= format= contains= no-contains= merged? no-merged? points-at= color? column? no-column "
                "ignore-case",
            ),
            with_any=("l", "list", "contains", "no-contains", "merged", "no-merged", "points-at"),
        ),
        "remote": GitCommand(options=options("v", "verbose"), operands=0),
        "blame": GitCommand(
            options=options(
                "bltpefnswcL:M::C::",
                "root show-stats porcelain line-porcelain incremental encoding= date= score-debug show-name "
                "show-number show-email abbrev? color-lines color-by-age progress no-progress",
            )
        ),
        "rev-parse": GitCommand(
            options=options(
                "q",
                "verify quiet short? abbrev-ref? symbolic symbolic-full-name all branches? tags? remotes? "
                "show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree "
                "is-inside-git-dir is-bare-repository is-shallow-repository show-superproject-working-tree "
                "show-object-format? revs-only no-revs flags no-flags since= until= default= disambiguate= sq not",
            )
        ),
        "ls-files": GitCommand(
            options=options(
                "cdmoiskutvfzx:",
                "cached deleted modified others ignored stage killed unmerged directory no-empty-directory "
                "exclude-standard exclude= error-unmatch full-name abbrev? eol deduplicate recurse-submodules "
                "sparse format=",
            )
        ),
        "ls-tree": GitCommand(
            options=options("drtlz", "long name-only name-status full-name full-tree abbrev? object-only format=")
        ),
        "describe": GitCommand(
            options=options(
                "", "all tags contains long always dirty? broken? abbrev? candidates= exact-match match= exclude= "
                "first-parent debug"
            )
        ),
        "merge-base": GitCommand(options=options("a", "all octopus independent is-ancestor fork-point")),
        "name-rev": GitCommand(options=options("", "tags refs= exclude= all always name-only")),
        "show-ref": GitCommand(
            options=options("dsq", "heads tags branches head dereference hash? verify quiet abbrev?")
        ),
        "for-each-ref": GitCommand(
            options=options("", "count= sort= format= points-at= merged? no-merged? contains? no-contains? "
                                "ignore-case")
        ),
        "count-objects": GitCommand(options=options("vH", "verbose human-readable"), operands=0),
        "cat-file": GitCommand(options=options("tsep")),
        "check-ignore": GitCommand(options=options("qvn", "quiet verbose non-matching no-index")),
        "grep": GitCommand(
            options=options(
                "nhHlLcoiwvEGFPqzpWIarA:B:C:e:m:",
                "cached untracked text ignore-case word-regexp invert-match extended-regexp basic-regexp "
                "fixed-strings perl-regexp line-number column files-with-matches name-only files-without-match "
                "null count color? no-color break heading show-function function-context context= after-context= "
                "before-context= max-depth= threads= and or not all-match quiet only-matching full-name "
                "no-recursive recursive",
            )
        ),
    }
)  # fmt: skip
# Two words, then options.
_SUBCOMMANDS: MappingProxyType[tuple[str, str], GitCommand] = MappingProxyType(
    {
        ("stash", "list"): GitCommand(options=_LOG),
        ("stash", "show"): GitCommand(options=_LOG),
        ("worktree", "list"): GitCommand(options=options("vz", "porcelain verbose"), operands=0),
        ("remote", "get-url"): GitCommand(options=options("", "push all"), operands=1),
        ("config", "--get"): GitCommand(options=options(), operands=1),
    }
)

# Names of formats that Git has built in. Any other is the repository's own, and can hold `%G`.
_FORMATS = names("oneline short medium full fuller reference email raw mboxrd")
# A `http.extraheader` or a `url.….insteadOf` can hold a password; these can't.
_OPEN_SETTING = re.compile(r"user\.(name|email)|(core|init|pull|push|commit|branch)\.[\w./-]+", re.IGNORECASE)
_RUNS_GPG = re.compile(r"%-?\+? ?G|%\(signature|%\(\*?signature", re.IGNORECASE)


def git_reads(arguments: Sequence[str]) -> Reads | Why:
    rest = list(arguments)
    directory = "."
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--version" and not rest:
            return NOTHING
        if option == "-C" and rest and directory == "." and rest[0]:
            directory = rest.pop(0)
        elif option not in ("--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"):
            return Why("unknown_option", f"git {option}")
    if not rest:
        return Why("unknown_option", "git")
    name, *rest = rest
    command = _COMMANDS.get(name)
    if rest and (longer := _SUBCOMMANDS.get((name, rest[0]))):
        command, name, rest = longer, f"{name} {rest[0]}", rest[1:]
    if command is None:
        return Why("unknown_program", f"git {name}")
    given = read_options(rest, command.options)
    if isinstance(given, Unknown):
        return Why("unknown_option", f"git {name} {given.text}")
    if problem := _problem(name, command, given):
        return problem
    operands = given.operands[1:] if name == "grep" and not given.has("e") else given.operands
    files = [File(os.path.join(directory, path)) for path in _paths(operands)]
    if directory != ".":
        files.append(File(directory, content=False))
    return Reads(files=tuple(files), repository=directory)


def _problem(name: str, command: GitCommand, given: Given) -> Why | None:
    if given.operands and command.with_any and not given.has(*command.with_any):
        return Why("unknown_option", f"git {name} {given.operands[0]}")
    if len(given.operands) > command.operands or (name == "reflog" and given.operands[:1] not in ((), ("show",))):
        return Why("unknown_option", f"git {name} {given.operands[-1]}")
    if name == "config --get" and not all(_OPEN_SETTING.fullmatch(key) for key in given.operands):
        return Why("unknown_option", f"git config --get {given.operands[0]}")
    for value in given.values("pretty", "format"):
        if _RUNS_GPG.search(value) or (value not in _FORMATS and "%" not in value and ":" not in value):
            return Why("unknown_option", f"git {name} --format={value}")
    return None


def _paths(operands: Sequence[str]) -> list[str]:
    """Operands as paths. A revision is one too, as far as anybody can tell; `HEAD:.env` names the file in it."""
    found: list[str] = []
    for operand in operands:
        _, colon, path = operand.partition(":")
        found.append(operand)
        if colon and path:
            found.append(path.lstrip("(!^"))
    return found
