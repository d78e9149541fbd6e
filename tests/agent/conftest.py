from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.model_server import ModelServer
from tests.support.world import World


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(params=["openai", "anthropic"])
def world(request: pytest.FixtureRequest, tmp_path: Path, server: ModelServer) -> World:
    """Every behaviour of the loop holds on both wires."""
    return World(tmp_path, server, wire=request.param)
