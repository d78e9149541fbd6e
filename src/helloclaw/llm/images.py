"""Make an image fit for every provider before it enters a history, where it would be sent again with every call.

Sizes are read from the file's header. Only an image that is too large needs Pillow (extra `images`), loaded then.
"""

from __future__ import annotations

import base64
import io
import struct
from typing import TYPE_CHECKING

from helloclaw.llm.messages import ImageBlock

if TYPE_CHECKING:
    from PIL import Image

MAX_SIDE = 2000
"""Pixels: Anthropic's limit for a request with many images, and more than any model looks at."""

MAX_BYTES = 3_750_000
"""5 MB as base64, the limit of Anthropic and of GLM."""

_QUALITIES = (85, 60, 40)
_JPEG_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


class ImageTooLarge(Exception):
    """The image can't be made fit. Its message says why and what to do."""


def fit_image(data: bytes, media_type: str) -> ImageBlock:
    """The image as it is if every provider takes it, else scaled down. Raises `ImageTooLarge`.

    Scaling keeps a PNG a PNG if that is small enough; an animation becomes its first frame.
    """
    size = image_size(data)
    if len(data) > MAX_BYTES or (size is not None and max(size) > MAX_SIDE):
        data, media_type = _scaled(data)
    return ImageBlock(media_type=media_type, data=base64.b64encode(data).decode("ascii"))


def image_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, GIF, JPEG or WebP, from its header."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return struct.unpack(">II", data[16:24])
        if data.startswith(b"GIF8"):
            return struct.unpack("<HH", data[6:10])
        if data.startswith(b"\xff\xd8"):
            return _jpeg_size(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp_size(data)
    except (struct.error, IndexError):
        pass
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Of the first frame header (ITU T.81, B.2.2)."""
    position = 2
    while position < len(data):
        if data[position] != 0xFF:
            return None
        marker = data[position + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[position + 5 : position + 9])
            return width, height
        stands_alone = marker == 0xFF or 0xD0 <= marker <= 0xD8
        position += 1 if marker == 0xFF else 2 if stands_alone else 2 + _u16(data, position + 2)
    return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    """Of the three kinds of first chunk (RFC 9649, 2.5 to 2.7)."""
    match data[12:16]:
        case b"VP8 ":
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack("<I", data[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
        case _:
            return None


def _u16(data: bytes, position: int) -> int:
    return int.from_bytes(data[position : position + 2], "big") or 2


def _scaled(data: bytes) -> tuple[bytes, str]:
    """Smaller in pixels and bytes, and its media type."""
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError as error:
        raise ImageTooLarge(
            f"The image is larger than {MAX_SIDE} pixels or {MAX_BYTES / 1e6:g} MB, and Pillow, which can scale it, is "
            "not installed. Make a smaller copy, or install it: pip install 'helloclaw[images]'."
        ) from error
    try:
        with Image.open(io.BytesIO(data)) as opened:
            keeps_png = opened.format in ("PNG", "GIF")
            image = ImageOps.exif_transpose(opened)
        image.thumbnail((MAX_SIDE, MAX_SIDE))
        if keeps_png and (written := _written(image, "PNG")):
            return written, "image/png"
        for quality in _QUALITIES:
            if written := _written(_on_white(image), "JPEG", quality=quality):
                return written, "image/jpeg"
    except UnidentifiedImageError as error:
        raise ImageTooLarge("The image can't be scaled down: it is damaged. Make a smaller copy.") from error
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ImageTooLarge(f"The image can't be scaled down: {error}. Make a smaller copy.") from error
    raise ImageTooLarge("The image is too large even when scaled down. Make a smaller copy.")


def _written(image: Image.Image, kind: str, **options: int) -> bytes | None:
    """The encoded image, if it is small enough."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue() if file.tell() <= MAX_BYTES else None


def _on_white(image: Image.Image) -> Image.Image:
    """JPEG knows no transparency, and black is not what transparent means."""
    from PIL import Image

    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    seen = image.convert("RGBA")
    white = Image.new("RGBA", seen.size, "white")
    return Image.alpha_composite(white, seen).convert("RGB")
