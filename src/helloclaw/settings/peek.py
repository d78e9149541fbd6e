"""The one setting that is needed before anything else is loaded: the language, for `--help` and for the first error.

Reads with the standard library alone and never fails; what is wrong with the file is said by who reads it in earnest.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping


def language_setting(environ: Mapping[str, str]) -> str | None:
    """`ui.lang` of `config.json`, or None."""
    root = environ.get("HELLOCLAW_HOME") or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".helloclaw")
    config = os.path.join(root, "config.json")
    try:
        if not os.path.isfile(config):  # a FIFO would be waited for, a device read without end
            return None
        with open(config, encoding="utf-8-sig") as stream:
            text = stream.read()
    except (OSError, ValueError):
        return None
    if '"lang"' not in text:
        return None
    try:
        lang = json.loads(text)["ui"]["lang"]
    except (ValueError, KeyError, TypeError, RecursionError):
        # Comments, which `settings.jsonc` reads properly; here it is enough to find the word.
        found = re.search(r'^[^/\n]*"lang"\s*:\s*"(en|zh)"', text, re.MULTILINE)
        return found.group(1) if found else None
    return lang if isinstance(lang, str) else None
