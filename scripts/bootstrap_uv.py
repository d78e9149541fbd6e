"""Fetch the `uv` binary for scripts/run and scripts/test, with nothing but Python's standard library.

The version and the SHA-256 are those in uv.lock, so that a mirror can serve the file but can't change it. pip does the
download where there is a pip (it knows its own mirrors and proxies); a small index client does it where there is none,
as on a fresh Debian. Left out: every platform that scripts/run doesn't start on, and keeping uv up to date.

Must parse on Python 3.8: it also runs where Python is too old for HelloClaw and uv is to find a newer one.
"""

from __future__ import annotations

import base64
import configparser
import hashlib
import html.parser
import json
import os
import platform
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
JSON_PAGE = "application/vnd.pypi.simple.v1+json"  # PEP 691
ANY_PAGE = JSON_PAGE + ", text/html;q=0.5"
TIMEOUT_S = 60
TRIES = 3


class Wheel(NamedTuple):
    """One file of one uv release, as uv.lock records it."""

    version: str
    filename: str
    url: str
    sha256: str


def locked_wheels(lock: str) -> list[Wheel]:
    """Read uv's own entry from the text of uv.lock (without tomllib, which Python 3.11 brought)."""
    entry = re.search(
        r'^name = "uv"\nversion = "([^"]+)"\n(.*?)(?=^\[\[package\]\]|\Z)', lock, re.MULTILINE | re.DOTALL
    )
    if entry is None:
        raise SystemExit(f"{ROOT / 'uv.lock'} has no entry for uv. Restore it: git checkout uv.lock")
    version, body = entry.groups()
    files = re.findall(r'url = "([^"]+\.whl)", hash = "sha256:([0-9a-f]{64})"', body)
    return [Wheel(version, url.rsplit("/", 1)[1], url, digest) for url, digest in files]


def wheel_for(wheels: list[Wheel], system: str, machine: str, musl: bool) -> Wheel | None:
    """Choose the wheel for this computer by its platform tags (PEP 425; uv's binaries are not tied to a Python)."""
    arch = {"amd64": "x86_64", "arm64": "aarch64", "armv8l": "armv7l"}.get(machine.lower(), machine.lower())
    if system == "Darwin":
        wanted = re.compile(r"macosx_\d+_\d+_" + ("arm64" if arch == "aarch64" else arch))
    elif system == "Linux":
        wanted = re.compile(("musllinux" if musl else "manylinux") + r"_\d+_\d+_" + re.escape(arch) + r"\b")
    else:
        return None
    return next((wheel for wheel in wheels if wanted.search(wheel.filename)), None)


# ── which index ──────────────────────────────────────────────────────────────────────────────────────────────────


def configured_index() -> str | None:
    """The package index that this person's uv or pip is told to use, or None for the public one."""
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"):
        value = os.environ.get(name, "").strip()
        if value:
            return value.split("=", 1)[1] if re.match(r"[\w-]+=https?:", value) else value
    parser = configparser.RawConfigParser(strict=False)
    for path in pip_config_files():
        try:
            parser.read(path, encoding="utf-8")
        except (OSError, ValueError, configparser.Error):
            continue  # pip itself complains about a broken file; here the next one is asked
    for section in ("install", "global"):
        value = parser.get(section, "index-url", fallback="").strip()
        if value:
            return value
    return None


def pip_config_files() -> list[Path]:
    """Where pip looks, the later file winning (https://pip.pypa.io/en/stable/topics/configuration/)."""
    home = Path(os.path.expanduser("~"))
    config_home = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    system = [Path(d) / "pip/pip.conf" for d in os.environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(os.pathsep) if d]
    mac = [Path("/Library/Application Support/pip/pip.conf"), home / "Library/Application Support/pip/pip.conf"]
    named = [Path(os.environ["PIP_CONFIG_FILE"])] if os.environ.get("PIP_CONFIG_FILE") else []
    return [*system, Path("/etc/pip.conf"), *mac, home / ".pip/pip.conf", config_home / "pip/pip.conf", *named]


# ── by pip ───────────────────────────────────────────────────────────────────────────────────────────────────────


def install_with_pip(wheels: list[Wheel], target: Path) -> bool:
    """Let pip choose among the wheels and put the binary at target/bin/uv. False where there is no pip or it fails."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
        return False
    with tempfile.TemporaryDirectory() as scratch:
        wanted = Path(scratch, "uv.txt")
        hashes = "".join(f" --hash=sha256:{wheel.sha256}" for wheel in wheels)
        wanted.write_text(f"uv=={wheels[0].version}{hashes}\n", encoding="ascii")
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--require-hashes"]
        command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target), "-r", str(wanted)]
        pip = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return pip.returncode == 0 and (target / "bin/uv").is_file()


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Anchors(html.parser.HTMLParser):
    """The links of a PEP 503 page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if tag == "a" and name == "href" and value]


def links_of(page: bytes, content_type: str) -> list[str]:
    """File links of a project page, in either form of the simple API (PEP 691 JSON, PEP 503 HTML)."""
    if "json" in content_type:
        return [str(file["url"]) for file in json.loads(page)["files"]]
    anchors = Anchors()
    anchors.feed(page.decode("utf-8", "replace"))
    return anchors.links


def open_url(url: str, accept: str = "*/*") -> Any:  # http.client.HTTPResponse or, for file:, addinfourl
    """Open an address the way pip would: its certificates, the usual proxy variables, user:password in the address."""
    context = ssl.create_default_context()
    bundle = os.environ.get("PIP_CERT") or os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    if bundle and os.path.exists(bundle):
        context.load_verify_locations(*((None, bundle) if os.path.isdir(bundle) else (bundle,)))
    parts = urllib.parse.urlsplit(url)
    headers = {"Accept": accept, "User-Agent": "helloclaw-setup"}
    if parts.username:
        login = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
        url = urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT_S, context=context)


def mirror_url(wheel: Wheel, index: str) -> str:
    """Where the configured index keeps this very file. Raises LookupError if it has none of that name."""
    page_url = index.rstrip("/") + "/uv/"
    with open_url(page_url, ANY_PAGE) as response:
        links = links_of(response.read(), response.headers.get("Content-Type", ""))
        base = response.geturl()
    for link in links:
        full = urllib.parse.urljoin(base, link)
        if urllib.parse.unquote(urllib.parse.urlsplit(full).path).rsplit("/", 1)[-1] == wheel.filename:
            return full
    raise LookupError(f"no {wheel.filename} there")


def download(url: str, into: Path) -> str:
    """Fetch `url` into a file, with progress on a terminal; returns the SHA-256 of what came."""
    digest, done = hashlib.sha256(), 0
    with open_url(url) as response, into.open("wb") as out:
        total = int(response.headers.get("Content-Length") or 0)
        while chunk := response.read(1 << 18):
            out.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            if sys.stderr.isatty() and total:
                print(f"\r  uv {done * 100 // total:3d} %", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r          \r", end="", file=sys.stderr)
    return digest.hexdigest()


def install_by_hand(wheel: Wheel, target: Path) -> list[str]:
    """Download the wheel and take the binary out of it. Returns why it failed, nothing when it worked."""
    problems: list[str] = []
    index = configured_index()
    for attempt in range(TRIES):
        time.sleep(attempt * 2)
        for source in (index, None) if index else (None,):
            try:
                fetch(mirror_url(wheel, source) if source else wheel.url, wheel, target)
            except (OSError, ValueError, LookupError, zipfile.BadZipFile) as error:
                problems.append(f"{source or wheel.url}: {reason(error)}")
            else:
                return []
    return problems


def fetch(url: str, wheel: Wheel, target: Path) -> None:
    """Download, compare with the lock, unpack. Raises OSError, ValueError (another hash) or BadZipFile."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, wheel.filename)
        digest = download(url, file)
        if digest != wheel.sha256:
            raise ValueError(f"SHA-256 of {wheel.filename} is {digest}, not {wheel.sha256} as in uv.lock")
        unpack(file, target)


def reason(error: Exception) -> str:
    """What to tell a person about a failed download."""
    text = str(error.reason if isinstance(error, urllib.error.URLError) else error)
    if "CERTIFICATE_VERIFY_FAILED" in text:
        text += " (no certificates? On Debian: apt install ca-certificates; behind a company proxy: set SSL_CERT_FILE)"
    return text


def unpack(wheel: Path, target: Path) -> None:
    """Write target/bin/uv from the wheel; appears whole or not at all, for two first starts at once."""
    with zipfile.ZipFile(wheel) as archive:
        member = next(name for name in archive.namelist() if name.endswith(".data/scripts/uv"))
        (target / "bin").mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=target / "bin")
        with archive.open(member) as source, os.fdopen(handle, "wb") as out:
            shutil.copyfileobj(source, out)
    os.chmod(partial, 0o755)  # a program, for everyone who may use this checkout
    os.replace(partial, target / "bin/uv")


def main(arguments: list[str]) -> int:
    """`bootstrap_uv.py DIR` leaves DIR/bin/uv; `bootstrap_uv.py --print-index` prints the configured index, if any."""
    if arguments == ["--print-index"]:
        print(configured_index() or "")
        return 0
    target = Path(arguments[0])
    wheels = locked_wheels((ROOT / "uv.lock").read_text(encoding="utf-8"))
    musl = platform.system() == "Linux" and platform.libc_ver()[0] != "glibc"
    wheel = wheel_for(wheels, platform.system(), platform.machine(), musl)
    if wheel is None:
        print(f"uv is not published for {platform.system()} {platform.machine()}.", file=sys.stderr)
        return 1
    if install_with_pip(wheels, target):
        return 0
    problems = install_by_hand(wheel, target)
    for problem in dict.fromkeys(problems):
        print("  " + problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
