"""Turn whatever went wrong into a `Failed` that tells a person what it was, where, and what to do next.

Pure. What the error answers mean is in `failure_signs`; who retries, and when, in `resilient`.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from msgspec.structs import replace

from helloclaw.llm.address import shown_address
from helloclaw.llm.error_report import read_report, retry_after_of
from helloclaw.llm.events import Failed, FailureKind
from helloclaw.llm.failure_signs import lacks_tools, recognise
from helloclaw.llm.text import encodable
from helloclaw.llm.wire import Endpoint

RETRYABLE: frozenset[FailureKind] = frozenset(
    {"connect", "timeout", "rate_limit", "overloaded", "server", "interrupted"}
)
QUOTE = 300
"""Characters of a provider's own words that are shown."""

_SECRETS = re.compile(r"\b(sk-|key-|Bearer )[A-Za-z0-9_\-.]{8,}|(?<=://)[^/\s@]+@")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def failure_from_response(
    status: int, headers: Mapping[str, str], body: bytes, endpoint: Endpoint, now: float | None = None
) -> Failed:
    """Explain an answer whose status is not 2xx, or whose body is no answer of a model API.

    `headers` are looked up in lower case. `now` is in seconds since the epoch, for a `retry-after` that is a date.
    """
    if status == 407:
        return replace(_no_connection("the proxy wants a login (HTTP 407)", endpoint, _PROXY_HINT), retryable=False)
    text = body.decode(errors="replace").strip()
    retry_after = retry_after_of(headers, time.time() if now is None else now)
    if 300 <= status < 400:
        return _redirected(status, headers.get("location", ""), endpoint)
    if text.startswith("<") or (not text and "text/html" in headers.get("content-type", "")):
        return _page(status, retry_after, endpoint)
    return failure_from_error(_decoded(text), endpoint, status=status, retry_after=retry_after)


def failure_from_error(
    error: Any, endpoint: Endpoint, *, status: int | None = None, retry_after: float | None = None
) -> Failed:
    """Explain an error object, from an answer or from the middle of a stream (then without a `status`)."""
    report = read_report(error, status, retry_after)
    kind = recognise(report, endpoint.model, quota_means_rate=endpoint.profile.quota_means_rate)
    said = redact(report.message, endpoint)
    about = f" (HTTP {status})" if status else ""
    quoted = f": {said}" if said else ""
    return Failed(
        kind=kind,
        message=f"{where(endpoint)} {_verb(kind, endpoint)}{about}{quoted}",
        hint=_TOOL_HINT if lacks_tools(report) else _hint(kind, endpoint),
        detail=_detail(endpoint, said, status),
        retryable=kind in RETRYABLE,
        retry_after=report.retry_after,
        status=status,
    )


def failure_from_exception(error: BaseException, endpoint: Endpoint) -> Failed:
    """Explain an exception of the HTTP client, by what is at the bottom of its chain of causes."""
    chain = list(_causes(error))
    for cause in chain:
        match cause:
            case ssl.SSLError():
                return _tls(cause, endpoint)
            case socket.gaierror():
                return _no_connection(f"the name {host_of(endpoint)} was not found", endpoint)
            case ConnectionRefusedError():
                return _no_connection(f"nothing listens at {place(endpoint)}", endpoint, _start_hint(endpoint))
            case _:
                pass
    names = {type(cause).__name__ for cause in chain}
    return _from_client_error(names, redact(str(error), endpoint) or type(error).__name__, endpoint)


def _from_client_error(names: set[str], said: str, endpoint: Endpoint) -> Failed:
    """By the names of httpx2's exceptions, so that it need not be imported here."""
    if "ProxyError" in names:
        return _no_connection(f"the proxy refused the way to {place(endpoint)}: {said}", endpoint, _PROXY_HINT)
    if names & {"ConnectTimeout", "PoolTimeout"}:
        return _no_connection(f"no connection to {place(endpoint)} in time", endpoint)
    if "ConnectError" in names:
        return _no_connection(f"no connection to {place(endpoint)}: {said}", endpoint)
    if names & {"ReadTimeout", "WriteTimeout"}:
        return timed_out(endpoint)
    if names & {"RemoteProtocolError", "ReadError", "WriteError", "CloseError"}:
        return interrupted(endpoint)
    if names & {"LocalProtocolError", "UnicodeEncodeError"}:  # its words may hold the key
        message = f"{endpoint.profile.name}: the API key or the base URL has characters that HTTP does not allow"
        hint = "Copy the key again, without spaces and line breaks."
        return Failed(kind="bad_request", message=message, hint=hint, detail=_detail(endpoint))
    if names & {"InvalidURL", "UnsupportedProtocol"}:
        message = f"{endpoint.profile.name}: {place(endpoint) or 'an empty text'} is no base URL: {said}"
        hint = "A base URL looks like https://host/path."
        return Failed(kind="bad_request", message=message, hint=hint, detail=_detail(endpoint, said))
    if "DecodingError" in names:
        return protocol_failure(endpoint, f"the answer can't be decompressed: {said}")
    message = f"{place(endpoint)} can't be called: {said}"
    hint = "Check the base URL and the proxy settings."
    return Failed(kind="protocol", message=message, hint=hint, detail=_detail(endpoint, said))


def interrupted(endpoint: Endpoint) -> Failed:
    return Failed(
        kind="interrupted",
        message=f"{where(endpoint)} closed the connection before the answer was complete",
        hint="Try again; if it happens every time, a proxy in the way may be cutting long answers.",
        detail=_detail(endpoint),
        retryable=True,
    )


def timed_out(endpoint: Endpoint) -> Failed:
    return Failed(
        kind="timeout",
        message=f"{where(endpoint)} sent nothing for {endpoint.timeout_s:g} s",
        hint="Try again, or raise the timeout if the model is slow to start.",
        detail=_detail(endpoint),
        retryable=True,
    )


def protocol_failure(endpoint: Endpoint, what: str) -> Failed:
    message = f"{where(endpoint)} does not speak the {endpoint.wire} wire: {redact(what, endpoint)}"
    hint = "Check the base URL and the wire that goes with it."
    return Failed(kind="protocol", message=message, hint=hint, detail=_detail(endpoint))


def too_long(endpoint: Endpoint) -> Failed:
    return protocol_failure(endpoint, "it sends more than any answer holds")


def unreadable_call(endpoint: Endpoint) -> Failed:
    return Failed(
        kind="protocol",
        message=f"{where(endpoint)} sent a tool call as text, and the text can't be read as a call",
        hint="Try again; if it happens often, choose another model or another provider for it.",
        detail=_detail(endpoint),
        retryable=True,
    )


def _detail(endpoint: Endpoint, said: str = "", status: int | None = None) -> str:
    """Which model, where, and what was said, without a word of ours."""
    pieces = (endpoint.origin, host_of(endpoint), f"HTTP {status}" if status else "", said)
    return " · ".join(piece for piece in pieces if piece)


def where(endpoint: Endpoint) -> str:
    return f"{endpoint.profile.name} at {host_of(endpoint)}"


def place(endpoint: Endpoint) -> str:
    """The base URL, fit to be shown."""
    return redact(shown_address(endpoint.base_url.partition("?")[0]), endpoint)


def host_of(endpoint: Endpoint) -> str:
    try:
        return urlsplit(endpoint.base_url).netloc.rpartition("@")[2] or place(endpoint)
    except ValueError:
        return place(endpoint)


def is_loopback(endpoint: Endpoint) -> bool:
    try:
        return is_loopback_host(urlsplit(endpoint.base_url).hostname or "")
    except ValueError:
        return False


def is_loopback_host(host: str) -> bool:
    """Whether a host name without port or brackets is this computer; 0.0.0.0 reaches it too."""
    host = host.lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def redact(text: str, endpoint: Endpoint) -> str:
    """One line of someone else's words: without keys, control characters and length."""
    if endpoint.api_key:
        text = text.replace(endpoint.api_key, "…")
    text = _SECRETS.sub("…", _CONTROL.sub(" ", encodable(text))).strip()
    return text if len(text) <= QUOTE else text[: QUOTE - 1] + "…"


_PROXY_HINT = "Check the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or take the host out with NO_PROXY."
_TOOL_HINT = "This model can't call tools here. Choose another model, or start the server with tool calling on."


def _verb(kind: FailureKind, endpoint: Endpoint) -> str:
    model = f'"{endpoint.model}"'
    return {
        "overflow": f"says that the conversation is longer than {model} can read",
        "quota": "says that the account has no credit or quota left",
        "rate_limit": "says that requests come too fast",
        "overloaded": "is overloaded",
        "auth": "refused the API key" if endpoint.api_key else "wants an API key and none is set",
        "not_found": f"does not know the model {model} or the address",
        "thinking_refused": f"does not accept thinking parameters for {model}",
        "server": "failed",
    }.get(kind, "refused the request")


def _hint(kind: FailureKind, endpoint: Endpoint) -> str:
    variable = endpoint.profile.key_vars[0] if endpoint.profile.key_vars else "the API key"
    return {
        "overflow": "Compact the conversation, or choose a model with a larger context window.",
        "quota": "Add credit or change the plan with the provider, or choose another model.",
        "rate_limit": "Wait a little, or raise the limit with the provider.",
        "overloaded": "Wait a little, or choose another model.",
        "auth": f"Check {variable} and that the key belongs to {place(endpoint)}.",
        "not_found": f"Check the model's name and the base URL {place(endpoint)}.",
        "thinking_refused": "Turn thinking off for this model.",
        "server": "Try again; if it lasts, look at the provider's status page or the server's log.",
    }.get(kind, "The provider's words above say what it does not accept.")


def _decoded(text: str) -> Any:
    import msgspec

    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError):
        return text


def _page(status: int, retry_after: float | None, endpoint: Endpoint) -> Failed:
    if status == 413:
        return failure_from_error("Request Entity Too Large", endpoint, status=status)
    if status == 429:
        return failure_from_error("", endpoint, status=status, retry_after=retry_after)
    return Failed(
        kind="not_an_api",
        message=f"{place(endpoint)} answered with a web page (HTTP {status}), not as a model's API does",
        hint="A proxy or a login page is in the way, or the base URL is wrong.",
        detail=f"{place(endpoint)} · HTTP {status}",
        retryable=status >= 500 or status in (408, 409),
        retry_after=retry_after,
        status=status,
    )


def _redirected(status: int, location: str, endpoint: Endpoint) -> Failed:
    return Failed(
        kind="not_an_api",
        message=f"{place(endpoint)} redirects (HTTP {status}) to {redact(location, endpoint) or 'nowhere'}",
        hint="Redirects are not followed with an API key. If you trust that address, set it as the base URL.",
        detail=f"{place(endpoint)} · HTTP {status} · {redact(location, endpoint)}".rstrip(" ·"),
        status=status,
    )


def _tls(error: ssl.SSLError, endpoint: Endpoint) -> Failed:
    if isinstance(error, ssl.SSLCertVerificationError):
        said = redact(error.verify_message or str(error), endpoint)
        message = f"the certificate of {host_of(endpoint)} can't be trusted: {said}"
        hint = "If a company's proxy inspects TLS, set SSL_CERT_FILE to its CA certificate; else check the base URL."
    else:
        message = f"no TLS with {host_of(endpoint)}: {redact(error.reason or str(error), endpoint)}"
        hint = "If the server speaks plain HTTP, write http:// in the base URL."
    return Failed(kind="tls", message=message, hint=hint, detail=_detail(endpoint))


def _no_connection(
    message: str, endpoint: Endpoint, hint: str = "Check the network connection and the base URL."
) -> Failed:
    detail = _detail(endpoint)
    named = f"{endpoint.profile.name}: {message}"
    return Failed(kind="connect", message=named, hint=hint, detail=detail, retryable=True)


def _start_hint(endpoint: Endpoint) -> str:
    if is_loopback(endpoint):
        return f"Is {endpoint.profile.name}'s server started? Start it, or check the port in the base URL."
    return "Check the host and the port in the base URL."


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            yield from cast("BaseExceptionGroup[BaseException]", current).exceptions
        current = current.__cause__ or current.__context__
