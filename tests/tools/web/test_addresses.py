"""Every family of addresses that a URL must not reach, and those that it may."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.tools.web.addresses import address_allowed, closed_because, networks

CLOSED = {
    "127.0.0.1": "this computer",
    "127.255.255.254": "this computer",
    "0.0.0.0": "an unspecified address",
    "0.1.2.3": "an unspecified address",
    "10.0.0.1": "a private address",
    "172.16.0.1": "a private address",
    "172.31.255.255": "a private address",
    "192.168.1.1": "a private address",
    "169.254.1.1": "a link-local address",
    "169.254.169.254": "a cloud's metadata service",
    "168.63.129.16": "a cloud's metadata service",
    "100.64.0.1": "an address shared inside a provider's network",
    "100.100.100.200": "an address shared inside a provider's network",
    "192.0.0.192": "a reserved address",
    "192.0.2.1": "a reserved address",
    "198.18.0.5": "a reserved address, which some proxies give to every name",
    "198.51.100.7": "a reserved address",
    "203.0.113.9": "a reserved address",
    "224.0.0.1": "a multicast address",
    "239.255.255.255": "a multicast address",
    "240.0.0.1": "a reserved address",
    "255.255.255.255": "a reserved address",
    "::": "an unspecified address",
    "::1": "this computer",
    "fe80::1": "a link-local address",
    "fe80::1%eth0": "an address of one network interface",
    "fc00::1": "a private address",
    "fd00:ec2::254": "a private address",
    "fec0::1": "a private address",
    "ff02::1": "a multicast address",
    "2001:db8::1": "a reserved address",
    "2001:10::1": "a reserved address",
    "3fff::1": "a reserved address",
    "100::1": "a reserved address",
    "5f00::1": "a reserved address",
    "::ffff:127.0.0.1": "this computer",
    "::ffff:169.254.169.254": "a cloud's metadata service",
    "::127.0.0.1": "a reserved address",
    "64:ff9b::10.0.0.1": "a private address",
    "64:ff9b:1::1": "a reserved address",
    "2002:7f00:1::": "an address that hides another one (6to4)",
    "2002:808:808::": "an address that hides another one (6to4)",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2": "an address that hides another one (Teredo)",
    "2606:4700::200:5efe:7f00:1": "an address that hides another one (ISATAP)",
    "localhost": "not an address",
    "127.1": "not an address",
    "": "not an address",
}


def test_what_is_closed_and_why() -> None:
    assert {address: closed_because(address) for address in CLOSED} == CLOSED


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "223.5.5.5", "192.0.1.1", "2606:4700:4700::1111",
     "2400:3200::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"],
)  # fmt: skip
def test_the_open_internet_is_open(address: str) -> None:
    assert address_allowed(address)


@given(st.ip_addresses(v=4))
def test_an_address_within_another_is_judged_alike(address: IPv4Address) -> None:
    mapped, nat64 = IPv6Address(f"::ffff:{address}"), IPv6Address(f"64:ff9b::{address}")
    assert closed_because(mapped) == closed_because(nat64) == closed_because(address)


@given(st.ip_addresses())
def test_what_python_calls_special_is_closed(address: IPv4Address | IPv6Address) -> None:
    if address.is_private or address.is_multicast or address.is_loopback or address.is_link_local:
        assert not address_allowed(address) or getattr(address, "ipv4_mapped", None)


def test_a_person_can_open_a_network() -> None:
    allowed = networks("127.0.0.0/24", "fd00::/16")
    opened = ("127.0.0.1", "::ffff:127.0.0.9", "fd00::1", "127.0.1.1", "fd01::1", "10.0.0.1")
    assert [address_allowed(each, allowed) for each in opened] == [True, True, True, False, False, False]
