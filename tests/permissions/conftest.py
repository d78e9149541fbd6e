from __future__ import annotations

import pytest

from helloclaw.permissions.verdict import Scope
from tests.permissions.judging import make_scope


@pytest.fixture(scope="session")
def plain_scope(tmp_path_factory: pytest.TempPathFactory) -> Scope:
    """A workspace that no test changes."""
    return make_scope(tmp_path_factory.mktemp("plain"))


@pytest.fixture
def scope(tmp_path_factory: pytest.TempPathFactory) -> Scope:
    """A workspace of one's own."""
    return make_scope(tmp_path_factory.mktemp("own"))
