"""Look into decoded JSON without trusting its shape: type guards, nothing else."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def object_or_empty(value: Any) -> dict[str, Any]:
    return value if is_object(value) else {}


def array_or_empty(value: Any) -> list[Any]:
    return value if is_array(value) else []
