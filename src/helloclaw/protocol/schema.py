"""The contract as JSON Schema, for `helloclaw schema` and the browser's generated types."""

from __future__ import annotations

from typing import Any

import msgspec

from helloclaw.protocol.commands import Command
from helloclaw.protocol.events import Event


def contract_schema() -> dict[str, Any]:
    """A JSON Schema with `$defs` for every event and command, and the two unions under `properties`."""
    (events, commands), definitions = msgspec.json.schema_components([Event, Command], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "HelloClaw events and commands",
        "type": "object",
        "properties": {"event": events, "command": commands},
        "$defs": definitions,
    }
