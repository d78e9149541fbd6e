"""Decode the JSON that model servers send, which is not always JSON."""

from __future__ import annotations

import json
from typing import Any

import msgspec


def decode_lenient(data: str) -> Any:
    """Strict and fast if it is JSON, else with what servers let slip: raw control characters and lone surrogates.

    Raises `ValueError` if it is nothing of the kind, or nested too deeply.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    try:
        return json.loads(data, strict=False)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
