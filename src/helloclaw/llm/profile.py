"""A provider as data: where it is, which wire it speaks, and in which ways it departs from that wire.

A wire asks the profile, never the host name. A new quirk is a new flag here, a row in `providers.py`, and a test.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Profile(Struct, frozen=True, kw_only=True):
    """Flags of one provider. Every default is the plain behaviour of the wire.

    `base_urls` maps a wire's name to its address, the preferred wire first. `hosts` are host-name suffixes by which a
    bare `base_url` is recognised. `key_vars` are environment variables that may hold the key.
    """

    name: str
    base_urls: dict[Literal["anthropic", "openai"], str] = {}
    hosts: tuple[str, ...] = ()
    key_vars: tuple[str, ...] = ()
    needs_key: bool = True
    default_model: str = ""

    # Anthropic wire
    thinking_budget_models: tuple[str, ...] | None = None
    """Models, by a part of their name, that take `enabled` with a budget; others take `adaptive`. None: all take it."""
    thinks_by_default: bool = False
    """Thinks unless told not to, so that no thinking has to be asked for in so many words."""
    signed_thinking_only: bool = False
    """Refuses replayed thinking that carries no signature."""
    needs_thinking_with_calls: bool = False
    """Refuses, while thinking is on, an assistant turn with tool calls and without a thinking block."""

    # Failures
    quota_means_rate: bool = False
    """Says `insufficient_quota` with a 429 when one calls too fast."""
