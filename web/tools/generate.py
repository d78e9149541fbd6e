"""What the page takes from the program, written to `src/generated`: the contract's types, and texts in both languages.

python web/tools/generate.py            write the files
python web/tools/generate.py --check    fail if they are not what the program says now
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from helloclaw.i18n import Lang, texts
from helloclaw.permissions.reasons import TEXTS
from helloclaw.protocol.schema import contract_schema

TARGET = Path(__file__).resolve().parent.parent / "src" / "generated"
# The texts that the page says itself. Others come from the server in the person's language.
_PREFIXES = ("failure.", "retry.", "notice.", "denied.", "line.")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def generated() -> dict[str, str]:
    """The content of each file in `src/generated`, by its name."""
    return {
        "contract.ts": contract_types(contract_schema()),
        "wording.en.json": _json(wording("en")),
        "wording.zh.json": _json(wording("zh")),
    }


def contract_types(schema: Mapping[str, Any]) -> str:
    """TypeScript types of a JSON Schema whose `$defs` are objects and whose `properties` are named unions."""
    parts = ["// Made by tools/generate.py from `helloclaw schema`. Don't edit."]
    for name, definition in schema["$defs"].items():
        parts.append("\n".join((*_comment(definition.get("description", "")), _interface(name, definition))))
    for name, union in schema["properties"].items():
        parts.append(f"export type {name.title()} = {_type(union)}")
    return "\n\n".join(parts) + "\n"


def wording(lang: Lang) -> dict[str, str]:
    """Texts by their id, with fields in braces; those of permissions as `reason.ID`, about `{}`."""
    say = texts(lang)
    ours = {key: say._by_id[key] for key in say._by_id if key.startswith(_PREFIXES)}  # noqa: SLF001 - the whole catalogue
    reasons = {f"reason.{key}": both[1 if lang == "zh" else 0] for key, both in TEXTS.items()}
    return dict(sorted({**ours, **reasons}.items()))


def _interface(name: str, definition: Mapping[str, Any]) -> str:
    required = set(definition.get("required", ()))
    lines = [f"export interface {name} {{"]
    for field, about in definition.get("properties", {}).items():
        key = field if _WORD.fullmatch(field) else json.dumps(field)
        lines.append(f"  readonly {key}{'' if field in required else '?'}: {_type(about)}")
    return "\n".join((*lines, "}"))


def _type(about: Mapping[str, Any]) -> str:
    if "$ref" in about:
        return about["$ref"].rpartition("/")[2]
    if "anyOf" in about:
        return " | ".join(dict.fromkeys(_type(each) for each in about["anyOf"]))
    if "enum" in about:
        return " | ".join(json.dumps(each) for each in about["enum"])
    match about.get("type"):
        case "string":
            return "string"
        case "integer" | "number":
            return "number"
        case "boolean":
            return "boolean"
        case "null":
            return "null"
        case "array":
            inner = _type(about["items"]) if "items" in about else "unknown"
            return f"readonly ({inner})[]" if " | " in inner else f"readonly {inner}[]"
        case "object":
            inner = about.get("additionalProperties")
            return f"Readonly<Record<string, {_type(inner) if isinstance(inner, dict) else 'unknown'}>>"
        case _:
            return "unknown"


def _comment(text: str) -> Iterator[str]:
    if text:
        yield "/**"
        yield from (f" * {line}".rstrip() for line in text.replace("*/", "* /").split("\n"))
        yield " */"


def _json(texts_by_id: Mapping[str, str]) -> str:
    return json.dumps(texts_by_id, ensure_ascii=False, indent=1) + "\n"


def main(arguments: list[str]) -> int:
    stale = 0
    for name, text in generated().items():
        path = TARGET / name
        if "--check" in arguments:
            if not path.is_file() or path.read_text("utf-8") != text:
                sys.stderr.write(f"stale: {path}; run: python web/tools/generate.py\n")
                stale = 1
        else:
            TARGET.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return stale


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
