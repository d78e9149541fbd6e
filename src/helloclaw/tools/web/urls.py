"""URLs as one reading of them: parsed once, so that what was judged is what is fetched. Pure.

Whatever two programs could read differently (backslashes, user names, numbers as hosts) is refused, not repaired.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import quote, urljoin, urlsplit

from msgspec import Struct

from helloclaw.llm.text import encodable
from helloclaw.tools.base import ToolError

MAX_URL_CHARS = 8000
_PORTS = {"http": 80, "https": 443}
# Ports of other protocols, which browsers refuse too: https://fetch.spec.whatwg.org/#port-blocking
_BAD_PORTS = frozenset(
    (
        *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104),
        *(109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515),
        *(526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049),
        *(3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697),
        *(10080, 11211, 27017),
    )
)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PATH_SAFE = "%/:=&?~+!$,;'@()*[]-._|"


class Target(Struct, frozen=True, kw_only=True):
    """Where a request goes. `host` is ASCII in lower case, an address without brackets; `path` has the query in it."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def netloc(self) -> str:
        """Host and port as the `Host` header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}"


def parse_url(text: str) -> Target:
    """Raises `ToolError` for what is no web address, or one that could be read in two ways."""
    text = encodable(text.strip())
    if len(text) > MAX_URL_CHARS:
        raise ToolError(f"the URL has {len(text)} characters; {MAX_URL_CHARS} are the limit")
    if "\\" in text or any(ord(each) <= 32 or 127 <= ord(each) < 160 for each in text):
        raise ToolError(f"{_short(text)!r} has spaces, control characters or backslashes in it; give a plain URL")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ToolError(f"{_short(text)!r} is no URL: {error}") from None
    if parts.scheme not in _PORTS:
        raise ToolError(f"{_short(text)!r}: only http and https URLs can be fetched, such as https://example.org/")
    if not host:
        raise ToolError(f"{_short(text)!r} names no host")
    if "@" in parts.netloc:
        raise ToolError(f"{_short(text)!r} has a user name or password in it; give the URL without")
    port = _PORTS[parts.scheme] if port is None else port
    if port in _BAD_PORTS:
        raise ToolError(f"{_short(text)!r}: port {port} belongs to another protocol and is not fetched")
    path = quote(parts.path or "/", safe=_PATH_SAFE)
    query = "?" + quote(parts.query, safe=_PATH_SAFE) if parts.query else ""
    return Target(scheme=parts.scheme, host=_host(host), port=port, path=path + query)


def join(base: Target, location: str) -> Target:
    """Where a redirect or a link leads, spaces in it made good as browsers do. Raises `ToolError`."""
    try:
        return parse_url(urljoin(base.url, location.strip().replace(" ", "%20")))
    except ValueError as error:
        raise ToolError(f"{_short(location)!r} is no URL: {error}") from None


def normal_url(text: str) -> str | None:
    """The one spelling under which a URL is known and asked about, without its fragment; None if it is refused."""
    try:
        return parse_url(text).url
    except ToolError:
        return None


def _host(host: str) -> str:
    """The host in ASCII. Raises `ToolError` for a spelling of an address that only some programs understand.

    Whatever ends in a number would be an IPv4 address to some: https://url.spec.whatwg.org/#ends-in-a-number-checker
    """
    if ":" in host:
        return _literal_v6(host)
    ascii_host = _ascii(host)
    labels = ascii_host.removesuffix(".").split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(ipaddress.IPv4Address(ascii_host))
        except ValueError:
            raise ToolError(
                f"{host!r} is an unusual spelling of an address; write it as four decimal numbers"
            ) from None
    if not all(_LABEL.fullmatch(label) for label in labels) or len(ascii_host) > 253:
        raise ToolError(f"{_short(host)!r} is no host name")
    return ".".join(labels)


def _ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError) as error:
        raise ToolError(f"{_short(host)!r} is no host name: {error}") from None


def _literal_v6(host: str) -> str:
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError:
        raise ToolError(f"{_short(host)!r} is no IPv6 address") from None
    if address.scope_id is not None:
        raise ToolError(f"{_short(host)!r} names a network interface; give the URL without it")
    return str(address)


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"
