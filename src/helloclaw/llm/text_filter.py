"""Sort streamed text into what is said, what is thought, and tool calls that leaked into it as markup.

The result does not depend on where the stream was cut: text is held back only while it may be the start of a marker.
Markers quoted in backticks or fenced code are text, for people talk about them. Dialects are read in `leaked_calls`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from helloclaw.llm.leaked_calls import (
    DSML_TAG,
    Leak,
    LeakedCall,
    Schemas,
    read_dsml,
    read_tokens,
    read_xml,
    read_xtml,
)
from helloclaw.llm.markup import BAR, Found, Marker, Markers

ThinkTags = Literal["off", "line", "anywhere"]
"""Where `<think>` opens a thought: nowhere, at the start of a line, or anywhere."""


class Said(Struct, frozen=True):
    text: str


class Thought(Struct, frozen=True):
    text: str


class ThoughtAllAlong(Struct, frozen=True):
    """A closing tag without an opening one: what has been said since the last thought was a thought too."""


class Leaked(Struct, frozen=True):
    calls: tuple[LeakedCall, ...]


class BrokenLeak(Struct, frozen=True):
    """Markup of a call that can't be read. It is not for people's eyes; the answer is to be asked for again."""

    markup: str


Piece = Said | Thought | ThoughtAllAlong | Leaked | BrokenLeak

_GAP = rf"(?:{BAR}|\s){{0,6}}"
_BARS = rf"{BAR}{{1,3}}"
_THOUGHT_TAGS = ("think", "thinking", "thought")
_THINK = tuple(Marker(kind="think", text=f"<{name}>") for name in _THOUGHT_TAGS)
_UNTHINK = tuple(Marker(kind="unthink", text=f"</{name}>") for name in _THOUGHT_TAGS)
_DSML = Marker(kind="dsml", atoms=("<", _GAP, "/?", _GAP, *"DSML", _GAP, "/?", "[a-z_]{0,20}", "[^<>]{0,250}", ">"))
_TOKEN = Marker(kind="token", atoms=("<", _BARS, *"tool", "[a-z▁_ ]{1,40}", _BARS, ">"))
_XTML = tuple(
    Marker(kind="xtml", atoms=("<", BAR, *word, BAR, ">", "[a-z]{1,12}", "[^<>]{0,250}", "<", BAR, *"sep", BAR, ">"))
    for word in ("open", "close")
)
_XTML_END = Marker(kind="xtml_end", atoms=("<", BAR, *"end_of_msg", BAR, ">"))
_XML = (Marker(kind="xml", text="<minimax:tool_call>"), Marker(kind="unxml", text="</minimax:tool_call>"))
_LEAKS = (_DSML, _TOKEN, *_XTML, _XTML_END, *_XML)

_END_DSML = re.compile(
    rf"<{_GAP}/{_GAP}DSML{_GAP}(?:tool|function)_calls?[^<>]*>|<{_GAP}DSML{_GAP}/\s*(?:tool|function)_calls?[^<>]*>",
    re.IGNORECASE,
)
_END_TOKEN = re.compile(rf"<{BAR}+\s*tool[▁_ ]calls(?:[▁_ ]section)?[▁_ ]end\s*{BAR}+>", re.IGNORECASE)
_END_XTML = re.compile(rf"<{BAR}close{BAR}>tools<{BAR}sep{BAR}>")
_END_XML = re.compile(r"</minimax:tool_call>")
_NEVER = re.compile(r"(?!)")
_HALF_A_TAG = re.compile(rf"<{_GAP}/?{_GAP}DSML{BAR}|<{_BARS}tool[▁_ ]call", re.IGNORECASE)

_BEGINS = re.compile(rf"begin\s*{BAR}+>$", re.IGNORECASE)

LONGEST_END = 300
"""No closing tag has more characters."""

Capture = tuple[re.Pattern[str], Callable[[str, Schemas], Leak]]
"""Where the markup that is being collected ends, and who reads it."""


class TextFilter:
    """Feed it a message's text in order, then close it once.

    `leaks` turns the recognition of leaked calls on; `schemas` are those of the tools that were offered.
    """

    def __init__(self, *, think_tags: ThinkTags, leaks: bool, schemas: Schemas) -> None:
        self._think_tags = think_tags
        self._schemas = schemas
        self._leaks = leaks
        self._in_text = _markers(thinks=think_tags != "off", leaks=leaks, inside=False)
        self._in_thought = _markers(thinks=True, leaks=leaks, inside=True)
        self._buffer = ""
        self._thinking = False
        self._capture: Capture | None = None
        self._scanned = 0
        # While markup is collected its pieces are not joined: a call may hold a whole file, in small pieces.
        self._arrived: list[str] = []
        self._tail = ""
        self._quotes = _Quotes()
        self._skip_space = False
        self._space = ""
        self._pieces: list[Piece] = []

    def feed(self, text: str) -> list[Piece]:
        if self._capture is not None:
            window = self._tail + text
            self._arrived.append(text)
            if self._capture[0].search(window) is None:
                self._tail = window[-LONGEST_END:]
                return []
            text = self._all_arrived()
        self._buffer += text
        self._scan()
        return self._take()

    def let_go(self) -> list[Piece]:
        """What is held back as a possible marker, as text: something else comes next."""
        if self._capture is None:
            self._emit(self._buffer)
            self._buffer = ""
        return self._take()

    def close(self) -> list[Piece]:
        """The rest. What was held back as a possible marker is text after all, unless it plainly was to become one."""
        self._buffer += self._all_arrived()
        while self._capture is not None:
            markup, self._buffer = self._buffer, ""
            self._read_capture(markup, self._capture[1])
            self._scan()
        if self._leaks and _HALF_A_TAG.match(self._buffer) and not self._quotes.open:
            self._pieces.append(BrokenLeak(self._buffer))
        else:
            self._emit(self._buffer)
        self._buffer = ""
        return self._take()

    def _all_arrived(self) -> str:
        arrived, self._arrived = "".join(self._arrived), []
        return arrived

    def _take(self) -> list[Piece]:
        pieces, self._pieces = self._pieces, []
        return pieces

    def _scan(self) -> None:
        while self._buffer:
            if self._capture is not None:
                if not self._scan_capture(*self._capture):
                    return
                continue
            markers = self._in_thought if self._thinking else self._in_text
            found = markers.find(self._buffer)
            if found is None:
                length = markers.safe_length(self._buffer)
                self._emit(self._buffer[:length])
                self._buffer = self._buffer[length:]
                return
            self._emit(self._buffer[: found.start])
            self._buffer = self._buffer[found.end :]
            self._meet(found)

    def _scan_capture(self, end: re.Pattern[str], reader: Callable[[str, Schemas], Leak]) -> bool:
        """Whether the markup that is being collected has ended."""
        match = end.search(self._buffer, self._scanned)
        if match is None:
            self._scanned = max(0, len(self._buffer) - LONGEST_END)
            self._tail = self._buffer[-LONGEST_END:]
            return False
        markup, self._buffer = self._buffer[: match.end()], self._buffer[match.end() :]
        self._read_capture(markup, reader)
        return True

    def _read_capture(self, markup: str, reader: Callable[[str, Schemas], Leak]) -> None:
        self._capture = None
        leak = reader(markup, self._schemas)
        if not leak.whole:
            self._pieces.append(BrokenLeak(markup))
            return
        self._pieces.append(Leaked(leak.calls))
        self._skip_space = True
        self._buffer = leak.rest + self._buffer

    def _meet(self, found: Found) -> None:
        """Decide what a marker means where it stands."""
        if not self._thinking and self._quotes.open:
            self._emit(found.text)
            return
        match found.kind:
            case "think" if self._think_tags == "anywhere" or self._quotes.line_is_blank:
                self._thinking, self._skip_space = True, True
            case "unthink":
                if not self._thinking:
                    self._pieces.append(ThoughtAllAlong())
                self._leave_thought()
            case "dsml" | "token" | "xtml" | "xml":
                self._meet_leak(found)
            case "xtml_end" | "unxml":
                pass
            case _:
                self._emit(found.text)

    def _meet_leak(self, found: Found) -> None:
        """Begin to collect markup at an opening tag. A closing tag without one is dropped."""
        match found.kind:
            case "dsml":
                if not re.search(BAR, found.text):
                    self._emit(found.text)
                    return
                capture = _dsml_capture(found.text)
            case "token":
                capture = (_END_TOKEN, read_tokens) if _BEGINS.search(found.text) else None
            case "xtml":
                capture = self._meet_xtml(found.text)
            case _:
                capture = (_END_XML, read_xml)
        if capture is not None:
            self._leave_thought()
            self._capture, self._scanned = capture, 0
            self._buffer = found.text + self._buffer

    def _meet_xtml(self, tag: str) -> Capture | None:
        """`<|open|>tools<|sep|>` begins calls, `think` a thought; the wrappers of what is said are dropped."""
        opens = "open" in tag[:7]
        name = re.split(r"[^a-z]", tag.split(">", 1)[1], maxsplit=1)[0]
        if name == "think" and opens:
            self._thinking, self._skip_space = True, True
        elif name == "think":
            self._leave_thought()
        return (_END_XTML, read_xtml) if opens and name in {"tools", "call"} else None

    def _leave_thought(self) -> None:
        """Space around the tags is the template's, not the thought's."""
        self._thinking, self._skip_space, self._space = False, True, ""

    def _emit(self, text: str) -> None:
        if self._skip_space:
            text = text.lstrip()
        if not text:
            return
        self._skip_space = False
        if not self._thinking:
            self._quotes.feed(text)
            self._pieces.append(Said(text))
            return
        text = self._space + text
        kept = text.rstrip()
        self._space = text[len(kept) :]
        if kept:
            self._pieces.append(Thought(kept))


@lru_cache(maxsize=8)
def _markers(*, thinks: bool, leaks: bool, inside: bool) -> Markers:
    """What to look for in text, or inside of a thought. Compiled once for all answers."""
    thoughts = (*(() if inside else _THINK), *_UNTHINK) if thinks else ()
    return Markers((*thoughts, *(_LEAKS if leaks else ())))


def _dsml_capture(tag: str) -> Capture | None:
    """A block ends with its closing tag, a bare call with the message; a closing tag begins nothing."""
    match = DSML_TAG.fullmatch(tag)
    if match is None or match[1] or match[2]:
        return None
    return (_END_DSML if match[3].lower().endswith(("_call", "_calls")) else _NEVER, read_dsml)


class _Quotes:
    """Whether the text so far stands inside a code span or a fenced block, as far as a line-by-line look can tell."""

    def __init__(self) -> None:
        self._fenced = False
        self._line = ""

    @property
    def open(self) -> bool:
        return self._fenced or self._line.count("`") % 2 == 1

    @property
    def line_is_blank(self) -> bool:
        return not self._line.strip()

    def feed(self, text: str) -> None:
        *lines, last = text.split("\n")
        for line in lines:
            if (self._line + line).lstrip().startswith(("```", "~~~")):
                self._fenced = not self._fenced
            self._line = ""
        self._line += last
