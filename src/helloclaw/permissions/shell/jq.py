"""`jq` with a filter that only looks at its input: no modules, no variables, no environment, no other files. Pure.

A filter is a program of its own, so what is taken is told by its words: names that are known to look at nothing but
their input, numbers, strings without anything interpolated, and signs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.options import Unknown, options, read_options
from helloclaw.permissions.shell.reads import File, Reads
from helloclaw.permissions.tables import names

# Missing: `-f -L --slurpfile --rawfile --argfile`, which read further files or code, and whatever takes a value.
_OPTIONS = options(
    "rjasncCMSe",
    "raw-output join-output ascii-output slurp null-input compact-output color-output monochrome-output sort-keys "
    "exit-status tab",
)
# Before a colon a name is a key, but only within braces: in `.[env:]` it is called. Missing: `env`, `$ENV`, `input`,
# `input_filename`, `import`, `include`, `debug`, `halt`, and whatever may not end, such as `repeat`.
_FUNCTIONS = names(
    "add all and any arrays ascii_downcase ascii_upcase booleans ceil contains del elif else empty end endswith "
    "false first flatten floor from_entries group_by has if in index inside join keys keys_unsorted last length "
    "ltrimstr map map_values max max_by min min_by not null nulls numbers objects or paths reverse round rtrimstr "
    "scalars select sort sort_by split startswith strings test then to_entries tonumber tostring transpose true type "
    "unique unique_by values with_entries"
)
_TOKEN = re.compile(
    r'\s+|\d+(?:\.\d+)?|"[^"\\]*"|\.[A-Za-z_][A-Za-z0-9_]*|(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?!\s*::)(?P<key>\s*:)?'
    r"|@(?:csv|tsv|json|text|base64|html|sh)\b|[.\[\]{}()|,:;?+*/%<>=!-]"
)


def jq_reads(arguments: Sequence[str]) -> Reads | Why:
    given = read_options(arguments, _OPTIONS)
    if isinstance(given, Unknown):
        return Why("unknown_option", f"jq {given.text}")
    if not given.operands or any(each.startswith("-") for each in given.operands) or "--" in arguments:
        return Why("unknown_program", "jq")
    query, *files = given.operands
    if not _only_looks(query):
        return Why("unknown_option", f"jq {query}")
    return Reads(files=tuple(File(path) for path in files))


def _only_looks(query: str) -> bool:
    at, within = 0, list[str]()
    while at < len(query):
        match = _TOKEN.match(query, at)
        if match is None:
            return False
        if match["name"] and not (match["name"] in _FUNCTIONS or (match["key"] and within[-1:] == ["{"])):
            return False
        if match.group() in ("(", "[", "{"):
            within.append(match.group())
        elif match.group() in (")", "]", "}"):
            del within[-1:]
        at = match.end()
    return True
