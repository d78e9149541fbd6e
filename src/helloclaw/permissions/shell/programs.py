"""The programs that are known to only read, each with the options it may be given. A table, and nothing else.

What is left out, is left out for a reason: `sort -o` and `tree -o` write, and so may `sort -m` in /tmp; `rg --pre` and
`sort --compress-program` run a program, `date -s` sets the clock, `file -C` compiles a database, `--files0-from` reads
names nobody has seen.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

from msgspec import Struct

from helloclaw.permissions.shell.options import Options, options
from helloclaw.permissions.tables import names

# What the operands are: files whose content is read, files that are only looked at, or no files at all.
Operands = Literal["content", "names", "text"]


class Program(Struct, frozen=True, kw_only=True):
    """One program. `most` is the largest number of operands; `skip` those that are no files, such as a pattern.

    `without` lists options of which one present means that there is no such first operand (`grep -e PATTERN`).
    `recursive`: options that make it read whole trees (`always` if it does anyway), `hidden`: with the hidden files,
    `follows`: links as well, unless one of `unless` is given. `names_only`: options with which no content is read.
    `here`: without a file it reads the current directory.
    """

    options: Options
    operands: Operands = "content"
    most: int | None = None
    skip: int = 0
    without: tuple[str, ...] = ()
    recursive: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ("always",)
    names_only: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    here: bool = False


_GREP = options(
    "EFGPivwxycLloqsbHhnTUZzarIe:m:A:B:C:f<d:",
    "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp "
    "line-regexp count color? colour? files-without-match files-with-matches max-count= only-matching quiet "
    "silent no-messages byte-offset with-filename no-filename label= line-number initial-tab null null-data "
    "after-context= before-context= context= text binary-files= exclude= exclude-dir= include= recursive "
    "line-buffered binary regexp= file< directories= R dereference-recursive group-separator= no-group-separator",
    digits=True,
)
_RG = options(
    ".chHiIlnNopPqsSuUvwxa0FLe:g:t:T:A:B:C:m:M:r:E:j:f<d:",
    "hidden count count-matches files files-with-matches files-without-match fixed-strings ignore-case smart-case "
    "case-sensitive invert-match line-number no-line-number line-regexp word-regexp only-matching pcre2 multiline "
    "multiline-dotall quiet text trim no-ignore no-ignore-vcs no-ignore-parent no-ignore-dot no-ignore-global "
    "no-messages no-config null null-data stats vimgrep json column heading no-heading with-filename no-filename "
    "include-zero passthru pretty unrestricted one-file-system crlf line-buffered type-list version block-buffered "
    "regexp= glob= iglob= type= type-not= after-context= before-context= context= max-count= max-columns= replace= "
    "encoding= threads= max-depth= max-filesize= color= colors= sort= sortr= context-separator= "
    "field-match-separator= field-context-separator= path-separator= file< glob-case-insensitive "
    "max-columns-preview no-unicode follow no-require-git byte-offset no-context-separator",
)
_DIFF = options(
    "qsiwbBEZyeNnptTadrucU:C:W:L:F:I:x:",
    "brief report-identical-files ignore-case ignore-all-space ignore-space-change ignore-blank-lines "
    "ignore-tab-expansion ignore-trailing-space side-by-side ed normal rcs unified? context? width= label= "
    "show-c-function show-function-line= ignore-matching-lines= exclude= expand-tabs initial-tab text minimal "
    "strip-trailing-cr suppress-common-lines left-column color? recursive new-file unidirectional-new-file "
    "no-dereference tabsize= suppress-blank-empty ignore-file-name-case no-ignore-file-name-case horizon-lines=",
)
_LS = options(
    "AaBbCcdFfGghHiklLmNnopqQrRsStuUvxXZ1I:T:w:",
    "all almost-all author escape block-size= ignore-backups color? directory dired classify? file-type format= "
    "full-time group-directories-first no-group human-readable si dereference-command-line hide= hyperlink? "
    "indicator-style= inode ignore= kibibytes dereference numeric-uid-gid literal hide-control-chars "
    "show-control-chars quote-name quoting-style= reverse recursive size sort= time= time-style= tabsize= width= "
    "context zero version",
)
_TREE = options(
    "adfipsughDFrtcvUCnASJXxNQqL:P:I:",
    "noreport dirsfirst filesfirst prune gitignore du si inodes device matchdirs ignore-case metafirst sort? "
    "charset~ filelimit~ timefmt~ nolinks version",
    alone=True,
)
_DU = options(
    "abchHkmsxSl0Dd:B:t:",
    "all apparent-size bytes total human-readable si summarize one-file-system separate-dirs max-depth= exclude= "
    "block-size= threshold= time? time-style= inodes null count-links version",
)
_DF = options(
    "ahHiklmPTt:x:B:",
    "all human-readable si inodes local portability total type= exclude-type= print-type output? block-size= no-sync "
    "version",
)
_STAT = options("fLtc:", "dereference file-system format= printf= terse cached= version")
_FILE = options("biIkLhNnr0vF:", "brief mime mime-type mime-encoding keep-going extension no-dereference raw version")
_SORT = options(
    "bdfgiMhnRrVcCsuzk:t:",
    "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort "
    "human-numeric-sort numeric-sort random-sort reverse sort= version-sort check? stable unique "
    "zero-terminated key= field-separator= parallel= debug version",
)
_SUM = options("btz", "binary text tag zero version")

_GREP_PROGRAM = Program(
    options=_GREP,
    skip=1,
    without=("e", "regexp", "f", "file"),
    recursive=("r", "recursive", "R", "d", "directories", "dereference-recursive"),
    follows=("R", "dereference-recursive"),
)
_RG_PROGRAM = Program(
    options=_RG,
    skip=1,
    without=("e", "regexp", "f", "file", "files", "type-list"),
    recursive=("always",),
    follows=("L", "follow"),
    hidden=(".", "hidden", "u", "unrestricted"),
    names_only=("files", "type-list"),
    here=True,
)

# `head -5`, but not `tail -f`, which never ends.
PROGRAMS: MappingProxyType[str, Program] = MappingProxyType(
    {
        "ls": Program(options=_LS, operands="names", here=True),
        "tree": Program(options=_TREE, operands="names", here=True),
        "du": Program(options=_DU, operands="names", here=True),
        "df": Program(options=_DF, operands="text"),
        "stat": Program(options=_STAT, operands="names"),
        "file": Program(options=_FILE),
        "cat": Program(
            options=options(
                "AbeEnstTuv",
                "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting version",
            )
        ),
        "tac": Program(options=options("bs:", "before separator= version")),
        "nl": Program(options=options("b:d:f:h:i:l:n:ps:v:w:", "body-numbering= version")),
        "rev": Program(options=options()),
        "head": Program(
            options=options("n:c:qvz", "lines= bytes= quiet silent verbose zero-terminated version", digits=True)
        ),
        "tail": Program(
            options=options("n:c:qvz", "lines= bytes= quiet silent verbose zero-terminated version", digits=True)
        ),
        "wc": Program(options=options("clmLw", "bytes chars lines max-line-length words total= version")),
        "grep": _GREP_PROGRAM,
        "egrep": _GREP_PROGRAM,
        "fgrep": _GREP_PROGRAM,
        "rg": _RG_PROGRAM,
        "sort": Program(options=_SORT),
        "uniq": Program(
            options=options(
                "cdDiuzf:s:w:",
                "count repeated all-repeated? group? ignore-case unique zero-terminated skip-fields= skip-chars= "
                "check-chars= version",
            ),
            most=1,
        ),
        "cut": Program(
            options=options(
                "b:c:d:f:nsz",
                "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= "
                "zero-terminated version",
            )
        ),
        "tr": Program(
            options=options("cCdst", "complement delete squeeze-repeats truncate-set1 version"), operands="text"
        ),
        "diff": Program(
            options=_DIFF, recursive=("r", "recursive"), follows=("r", "recursive"), unless=("no-dereference",)
        ),
        "cmp": Program(options=options("bilsn:", "print-bytes verbose quiet silent bytes= version"), most=2),
        "comm": Program(options=options("123z", "check-order nocheck-order output-delimiter= total zero-terminated")),
        "paste": Program(options=options("d:sz", "delimiters= serial zero-terminated version")),
        "fold": Program(options=options("bsw:", "bytes spaces width= version")),
        "od": Program(
            options=options("A:j:N:t:vw::abcdfiloxs", "address-radix= skip-bytes= read-bytes= format= version")
        ),
        "hexdump": Program(options=options("bcCdoxve:n:s:")),
        "hd": Program(options=options("bcCdoxve:n:s:")),
        "column": Program(options=options("txs:c:o:", "table separator= output-width= output-separator= fillrows")),
        "expand": Program(options=options("it:", "initial tabs= version")),
        "unexpand": Program(options=options("at:", "all first-only tabs= version")),
        "md5sum": Program(options=_SUM),
        "sha224sum": Program(options=_SUM),
        "sha384sum": Program(options=_SUM),
        "b2sum": Program(options=options("btzl:", "binary text tag zero length= version")),
        "sha1sum": Program(options=_SUM),
        "sha256sum": Program(options=_SUM),
        "sha512sum": Program(options=_SUM),
        "cksum": Program(options=options("", "version")),
        "basename": Program(options=options("azs:", "multiple suffix= zero version"), operands="text"),
        "dirname": Program(options=options("z", "zero version"), operands="text"),
        "realpath": Program(
            options=options(
                "emLPqsz",
                "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero version "
                "relative-to= relative-base=",
            ),
            operands="names",
        ),
        "readlink": Program(
            options=options(
                "femnqsvz",
                "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
            ),
            operands="names",
        ),
        "which": Program(options=options("as", "all version"), operands="text"),
        "date": Program(
            most=1,
            options=options("uRI::d:r<", "utc universal date= reference< rfc-email iso-8601? rfc-3339= debug version"),
            operands="text",
        ),
        "uname": Program(
            options=options(
                "asnrvmpio",
                "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform "
                "operating-system version",
            ),
            most=0,
        ),
        "whoami": Program(options=options("", "version"), most=0),
        "id": Program(options=options("agGnruz", "group groups name real user zero version"), operands="text"),
        "groups": Program(options=options("", "version"), operands="text"),
        "free": Program(
            options=options(
                "bkmghltvwV", "bytes kibi mebi gibi kilo mega giga human si lohi total committed wide version"
            ),
            most=0,
        ),
        "lscpu": Program(options=options("abcJyBV", "all online offline json physical bytes version"), most=0),
        "locale": Program(options=options("am", "all-locales charmaps version"), most=0),
        "pgrep": Program(
            options=options(
                "aficlnovxd:u:U:P:t:g:s:",
                "list-full full ignore-case count list-name newest oldest inverse exact delimiter= euid= uid= parent= "
                "terminal= pgroup= session= version",
            ),
            operands="text",
            most=1,
        ),
        "nproc": Program(options=options("", "all ignore= version"), most=0),
        "arch": Program(options=options("", "version"), most=0),
        "hostname": Program(options=options(), most=0),
        "uptime": Program(options=options("ps", "pretty since version"), most=0),
    }
)

# Tools whose `--version` says it and ends, and was seen to write nothing. Not: `cargo`, `go`, `java`, `swift`, `julia`,
# which keep books; `yarn`, `pnpm`, `mvn`, `gradle`, `pytest`, `composer`, which first run what a project's files say;
# `terraform` and `gh`, which ask the network.
VERSIONED = names(
    "python python2 python3 pypy3 pip pip3 pipx uv uvx ruff black mypy node npm npx deno bun tsc "
    "ruby gem perl php lua luajit R ghc gcc g++ cc c++ clang clang++ ld make gmake cmake ninja "
    "meson gdb lldb git hg svn docker podman kubectl helm curl wget tar gzip zip unzip xz zstd jq "
    "sqlite3 psql mysql redis-cli bash zsh fish vim nvim emacs nano tmux rg fd fzf bat sed awk gawk "
    "grep find ssh openssl rsync strace ffmpeg pandoc aws systemctl bwrap env ls cat tree less diff "
    "patch bc"
)
# The short ways of asking, per tool.
VERSION_FLAGS = MappingProxyType(
    {
        "python": ("-V",),
        "python3": ("-V",),
        "pip": ("-V",),
        "pip3": ("-V",),
        "node": ("-v",),
        "npm": ("-v",),
        "npx": ("-v",),
        "ruby": ("-v",),
        "perl": ("-v",),
        "php": ("-v",),
        "tmux": ("-V",),
        "ssh": ("-V",),
        "ffmpeg": ("-version",),
        "docker": ("-v",),
        "openssl": ("version",),
        "gcc": ("-dumpversion",),
        "uv": ("-V",),
    }
)
