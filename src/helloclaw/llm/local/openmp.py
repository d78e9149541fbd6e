"""An OpenMP for xllamacpp on a Linux that has none. Putting one there is the business of whoever installs."""

from __future__ import annotations

import sysconfig
from collections.abc import Mapping
from pathlib import Path

# Where the wheel of `cmeel-libomp` puts LLVM's OpenMP, which goes by the name and the symbols of GCC's too.
_BESIDE = Path("cmeel.prefix/lib")
_LIBRARY = "libgomp.so.1"


def with_openmp(environ: Mapping[str, str], site_packages: Path | None = None) -> dict[str, str]:
    """The environment in which a child can load xllamacpp: that library first, if this environment brought it along.

    The wheel of xllamacpp names `libgomp.so.1` and leaves it to the system; a minimal Debian has it not.
    """
    directory = (site_packages or Path(sysconfig.get_path("purelib"))) / _BESIDE
    if not (directory / _LIBRARY).exists():
        return dict(environ)
    before = environ.get("LD_LIBRARY_PATH")
    return {**environ, "LD_LIBRARY_PATH": f"{directory}:{before}" if before else str(directory)}
