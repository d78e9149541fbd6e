"""Which addresses the open internet has, so that no URL reaches what only this computer or its network can. Pure.

The lists are spelled out, since `ipaddress.is_global` has changed its mind between releases of Python. Sources: the
IANA special-purpose registries for IPv4 and IPv6 (RFC 6890 and its updates) and the clouds' own documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_CLOSED_V4: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "an unspecified address"),
    ("10.0.0.0/8", "a private address"),
    ("100.64.0.0/10", "an address shared inside a provider's network"),
    ("127.0.0.0/8", "this computer"),
    ("168.63.129.16/32", "a cloud's metadata service"),  # Azure
    ("169.254.169.254/32", "a cloud's metadata service"),
    ("169.254.0.0/16", "a link-local address"),
    ("172.16.0.0/12", "a private address"),
    ("192.0.0.0/24", "a reserved address"),
    ("192.0.2.0/24", "a reserved address"),
    ("192.88.99.0/24", "a reserved address"),
    ("192.168.0.0/16", "a private address"),
    ("198.18.0.0/15", "a reserved address, which some proxies give to every name"),
    ("198.51.100.0/24", "a reserved address"),
    ("203.0.113.0/24", "a reserved address"),
    ("224.0.0.0/4", "a multicast address"),
    ("240.0.0.0/4", "a reserved address"),
)
_CLOSED_V6: tuple[tuple[str, str], ...] = (
    ("::/128", "an unspecified address"),
    ("::1/128", "this computer"),
    ("fc00::/7", "a private address"),
    ("fe80::/10", "a link-local address"),
    ("fec0::/10", "a private address"),
    ("ff00::/8", "a multicast address"),
    ("2001::/32", "an address that hides another one (Teredo)"),
    ("2001::/23", "a reserved address"),
    ("2001:db8::/32", "a reserved address"),
    ("2002::/16", "an address that hides another one (6to4)"),
    ("3fff::/20", "a reserved address"),
)
_V4 = tuple((IPv4Network(network), what) for network, what in _CLOSED_V4)
_V6 = tuple((IPv6Network(network), what) for network, what in _CLOSED_V6)
_GLOBAL_V6 = IPv6Network("2000::/3")
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
# The interface identifier of ISATAP (RFC 5214), which ends in an IPv4 address.
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


def address_allowed(ip: str | Address, allowed: Iterable[Network] = ()) -> bool:
    """Whether a connection may go to `ip`: it is public, or within a network of `allowed`."""
    return closed_because(ip, allowed) is None


def closed_because(ip: str | Address, allowed: Iterable[Network] = ()) -> str | None:
    """What kind of address `ip` is if no connection may go there; None for a public one.

    IPv6 that carries an IPv4 address is judged by it where systems translate it (mapped, NAT64); other such forms
    (compatible, 6to4, Teredo, ISATAP) are closed whatever they carry, as nobody needs them.
    """
    if isinstance(ip, str):
        try:
            ip = ip_address(ip)
        except ValueError:
            return "not an address"
    if isinstance(ip, IPv6Address):
        if ip.scope_id is not None:
            return "an address of one network interface"
        if ip in _MAPPED or ip in _NAT64:
            ip = IPv4Address(int(ip) & 0xFFFFFFFF)
    if any(ip in network for network in allowed):
        return None
    return _closed_v4(ip) if isinstance(ip, IPv4Address) else _closed_v6(ip)


def networks(*texts: str) -> tuple[Network, ...]:
    """Networks such as `192.0.2.0/24`. Raises `ValueError`."""
    return tuple(ip_network(text) for text in texts)


def _closed_v4(ip: IPv4Address) -> str | None:
    return next((what for network, what in _V4 if ip in network), None)


def _closed_v6(ip: IPv6Address) -> str | None:
    if what := next((what for network, what in _V6 if ip in network), None):
        return what
    if ip not in _GLOBAL_V6:
        return "a reserved address"
    return "an address that hides another one (ISATAP)" if (int(ip) >> 32) & 0xFFFFFFFF in _ISATAP else None
