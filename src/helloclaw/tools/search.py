"""`search_content`: find lines by a regular expression, with ripgrep; `.gitignore` is honoured, secrets left out."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from helloclaw.permissions.paths import is_secret
from helloclaw.tools.base import Facts, Tool, ToolError, ToolOutput
from helloclaw.tools.context import ToolContext
from helloclaw.tools.output_text import cleaned, decode_line
from helloclaw.tools.paths import near_names, resolve_path, shown

TIMEOUT_S = 30.0
DEFAULT_RESULTS = 200
MAX_RESULTS = 2000
_LINE_COLUMNS = 300
# All matches together stay below what would have to go to a file.
_RESULT_CHARS = 45_000
_READ_BYTES = 64 * 1024
_STDERR_BYTES = 64 * 1024

_MATCH = re.compile(rb"(?P<path>[^\0]+)\0(?P<line>\d+):(?P<text>.*)", re.DOTALL)


class SearchContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pattern: Annotated[str, Meta(description="regex")]
    path: str = "."
    glob: Annotated[str, Meta(description="e.g. *.py, !tests/**")] | UnsetType = UNSET
    case_sensitive: bool = False
    max_results: Annotated[int, Meta(ge=1, le=MAX_RESULTS)] = DEFAULT_RESULTS


class Found(Struct, frozen=True, kw_only=True):
    """What ripgrep printed: lines `path:line:text`, whether there was more, what it complained of, its exit code."""

    lines: tuple[str, ...]
    cut: bool
    complaint: str
    exit_code: int | None


async def run(call: SearchContent, context: ToolContext) -> ToolOutput:
    place = context.approved_path(resolve_path(call.path, context.cwd))
    if not place.exists():
        near = near_names(place.name, place.parent)
        raise ToolError(f"{place} does not exist" + (f"; did you mean {' or '.join(near)}?" if near else ""))
    try:
        async with asyncio.timeout(TIMEOUT_S):
            found = await _search(call, place, context.cwd, "auto")
            if found.exit_code == 1 and not call.pattern.isascii():
                # Legacy Chinese files are not UTF-8; only a pattern beyond ASCII can miss them for that.
                found = await _search(call, place, context.cwd, "gb18030")
    except TimeoutError:
        advice = "give a narrower path or glob"
        raise ToolError(f"the search took more than {TIMEOUT_S:.0f} s and was stopped; {advice}") from None
    return _result(found, call)


def _result(found: Found, call: SearchContent) -> ToolOutput:
    if found.exit_code == 2 and not found.lines:
        raise ToolError(_reason(found.complaint, call))
    if not found.lines:
        return ToolOutput(text="No matches.")
    text = "\n".join(found.lines)
    if found.cut:
        text += f"\n[stopped after {len(found.lines)} matches, there are more; narrow the pattern, path or glob]"
    elif found.complaint:
        text += f"\n[not all was searched: {found.complaint.splitlines()[0]}]"
    return ToolOutput(text=text)


def find_ripgrep(environ: Mapping[str, str]) -> str:
    """The `rg` that was installed with us, else the one on `PATH`. Raises `ToolError` when there is none."""
    name = "rg.exe" if os.name == "nt" else "rg"
    for directory in (sysconfig.get_path("scripts"), os.path.dirname(sys.executable)):
        if os.access(candidate := os.path.join(directory, name), os.X_OK):
            return candidate
    if found := shutil.which("rg", path=environ.get("PATH")):
        return found
    raise ToolError("ripgrep (rg) was not found; reinstall HelloClaw or install ripgrep; until then use grep by bash")


def _options(call: SearchContent) -> list[str]:
    options = [
        "--no-config", "--no-require-git", "--hidden", "--engine=auto", "--color=never", "--no-heading", "--null",
        "--line-number", "--with-filename", f"--max-columns={_LINE_COLUMNS}", "--max-columns-preview",
        "--case-sensitive" if call.case_sensitive else "--ignore-case",
        f"--regexp={call.pattern}",
    ]  # fmt: skip
    if "\n" in call.pattern or r"\n" in call.pattern:
        options.append("--multiline")
    if call.glob is not UNSET:
        options.append(f"--glob={call.glob}")
    return [*options, "--glob=!.git"]


async def _search(call: SearchContent, place: Path, cwd: Path, encoding: str) -> Found:
    ripgrep = find_ripgrep(os.environ)
    try:
        process = await asyncio.create_subprocess_exec(
            ripgrep,
            f"--encoding={encoding}",
            *_options(call),
            "--",
            shown(place, cwd),
            cwd=cwd,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        raise ToolError(f"cannot run {ripgrep}: {error}") from error
    if process.stdout is None or process.stderr is None:
        raise ToolError(f"{ripgrep} was started without pipes")  # can't be: both were asked for
    complaint = asyncio.create_task(_read_capped(process.stderr))
    try:
        lines, cut = await _take_lines(process.stdout, call.max_results, secrets=is_secret(str(place)))
        if cut:
            process.kill()
            # asyncio has ended a process only when its pipes have, and a full one does not before it is read.
            while await process.stdout.read(_READ_BYTES):
                pass
        await process.wait()
        return Found(
            lines=tuple(f"{path}:{number}:{text}" for path, number, text in sorted(lines)),
            cut=cut,
            complaint=(await complaint).decode("utf-8", "replace").strip(),
            exit_code=process.returncode,
        )
    finally:
        complaint.cancel()
        with contextlib.suppress(ProcessLookupError):
            process.kill()


async def _take_lines(
    stream: asyncio.StreamReader, limit: int, *, secrets: bool
) -> tuple[list[tuple[str, int, str]], bool]:
    """Matches as (path, line, text), until there are `limit` or as many as a model may see; and if there were more.

    A search must not become a way around the question that reading a secret file asks: matches in one are dropped,
    unless `secrets`, which is when the place that was asked for, and approved, is secret itself.
    """
    matches: list[tuple[str, int, str]] = []
    room = _RESULT_CHARS
    rest = b""
    while block := await stream.read(_READ_BYTES):
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            found = _MATCH.fullmatch(line)
            if found is None:  # a remark of ripgrep's, such as "binary file matches"
                continue
            path = os.fsdecode(found["path"]).removeprefix("./").encode("utf-8", "replace").decode()
            if not secrets and is_secret(path):
                continue
            text = cleaned(decode_line(found["text"]))
            room -= len(path) + len(text) + 8
            if len(matches) == limit or room < 0:
                return matches, True
            matches.append((path, int(found["line"]), text))
    return matches, False


async def _read_capped(stream: asyncio.StreamReader) -> bytes:
    """All of a stream, of which only the beginning is kept, so that the writer never waits."""
    kept = b""
    while block := await stream.read(_READ_BYTES):
        kept += block[: _STDERR_BYTES - len(kept)]
    return kept


def _reason(complaint: str, call: SearchContent) -> str:
    """What ripgrep found wrong, without its ornaments."""
    lines = [line for line in complaint.splitlines() if line.strip() and not line.startswith("~")]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    if errors:
        return f"{call.pattern!r} is not a regular expression: {errors[0]}; escape special characters with a backslash"
    return f"the search failed: {' '.join(lines)[:500] or 'no reason given'}"


def _facts(call: SearchContent) -> Facts:
    return Facts(reads=(call.path,))


search_content = Tool("search_content", SearchContent, run, read_only=True, parallel_safe=True, facts=_facts)
