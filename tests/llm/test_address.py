"""What of an address is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.llm.address import shown_address, shown_setting


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:hunter2@host/v1", "https://host/v1"),
        ("https://hunter2@host:8080/v1", "https://host:8080/v1"),
        ("HTTPS://user:hunter@2@host/v1?x=1", "HTTPS://host/v1?x=1"),
        ("https://user:hunter/2@host/v1", "https://host/v1"),
        ("user:hunter2@host/v1", "host/v1"),
        ("//user:hunter2@host", "//host"),
        ("https://host/@scope/v1", "https://host/@scope/v1"),
        ("https://host:8080/@scope/v1", "https://host:8080/@scope/v1"),
        ("http://[::1]:8080/@scope", "http://[::1]:8080/@scope"),
        ("http://user:hunter2@[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("", ""),
    ],
)
def test_who_calls_is_not_shown(url: str, shown: str) -> None:
    assert shown_address(url) == shown


def test_only_an_address_is_changed() -> None:
    assert (shown_setting("me@host"), shown_setting("socks5://me:hunter2@host")) == ("me@host", "socks5://host")


PASSWORD = st.text(st.characters(exclude_characters="?#/\n", exclude_categories=["Cs"]), min_size=1)


@given(PASSWORD)
def test_no_password_is_shown(password: str) -> None:
    assert shown_address(f"https://user:{password}@host/v1") == "https://host/v1"
