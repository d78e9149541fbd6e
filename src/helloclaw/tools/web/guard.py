"""Where a name leads, judged before anything is sent there.

The addresses that were judged are the ones to connect to: a name that is looked up again could lead elsewhere by then
(DNS rebinding).
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address

from helloclaw.tools.base import ToolError
from helloclaw.tools.web.addresses import Network, closed_because
from helloclaw.tools.web.urls import Target

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, given with a port. Raises `OSError`."""


async def system_resolve(host: str, port: int) -> Sequence[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Guard:
    """`allowed` are networks to open although they are not public; nothing but a person's own choice should fill it."""

    def __init__(self, *, resolve: Resolve = system_resolve, allowed: Sequence[Network] = ()) -> None:
        self._resolve = resolve
        self._allowed = tuple(allowed)

    async def addresses(self, target: Target) -> tuple[str, ...]:
        """The addresses to connect to, looked up once. Raises `ToolError` if any of them is closed."""
        found = await self._look_up(target)
        for address in found:
            if what := closed_because(address, self._allowed):
                shown = address if address == target.host else f"{target.host} is {address}, which"
                raise ToolError(
                    f"{target.url} was not fetched: {shown} is {what}. web_fetch reaches the public internet only; "
                    "a program run by bash can speak to this computer and its network"
                )
        return found

    async def _look_up(self, target: Target) -> tuple[str, ...]:
        if _is_address(target.host):
            return (target.host,)
        try:
            found = await self._resolve(target.host, target.port)
        except (OSError, UnicodeError) as error:
            raise ToolError(f"{target.host}: the name was not found ({error}); check it, or the network") from None
        if not found:
            raise ToolError(f"{target.host}: the name has no address")
        return tuple(found)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
