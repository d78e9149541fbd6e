"""What may complete the word at the cursor, as rows under the input line. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from prompt_toolkit.completion import Completion
from prompt_toolkit.formatted_text import StyleAndTextTuples

from helloclaw.wording.plain import one_line
from helloclaw.wording.width import columns, padded

ROWS = 8


def completion_rows(completions: Sequence[Completion], chosen: int | None, width: int) -> StyleAndTextTuples:
    """At most eight rows around the chosen one: what it completes to, and what that is."""
    first = max(0, min((chosen or 0) - ROWS // 2, len(completions) - ROWS))
    shown = list(enumerate(completions))[first : first + ROWS]
    names = [one_line(each.display_text) for _, each in shown]
    name_width = min(max((columns(name) for name in names), default=0), max(10, width // 2))
    rows: StyleAndTextTuples = []
    for (index, each), name in zip(shown, names, strict=True):
        style = "class:completion.chosen" if index == chosen else "class:completion"
        mark = "> " if index == chosen else "  "
        about = one_line(each.display_meta_text)
        room = width - name_width - 5
        rows.append((style, f"{mark}{padded(name, name_width)}"))
        if about and room > 8:
            rows.append(("class:completion.about", f"  {padded(about, room).rstrip()}"))
        rows.append(("", "\n"))
    if rows:
        rows.pop()
    return rows
