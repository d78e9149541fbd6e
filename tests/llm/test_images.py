"""Images that every provider takes go through untouched; larger ones are scaled down."""

from __future__ import annotations

import base64
import io
import random
import subprocess
import sys

import pytest
from PIL import Image

from helloclaw.llm.images import MAX_BYTES, MAX_SIDE, ImageTooLarge, fit_image, image_size


def picture(kind: str, width: int, height: int, mode: str = "RGB", color: object = "red", **options: object) -> bytes:
    file = io.BytesIO()
    Image.new(mode, (width, height), color).save(file, kind, **options)  # pyright: ignore[reportArgumentType] - any color
    return file.getvalue()


def noise(width: int, height: int) -> bytes:
    """A PNG that does not compress."""
    file = io.BytesIO()
    Image.frombytes("RGB", (width, height), random.Random(1).randbytes(width * height * 3)).save(file, "PNG")
    return file.getvalue()


def opened(data: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data)))


@pytest.mark.parametrize("kind", ["PNG", "GIF", "JPEG", "WEBP"])
@pytest.mark.parametrize("options", [{}, {"lossless": True}, {"exif": b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x00"}])
def test_sizes_are_read_from_the_header(kind: str, options: dict[str, object]) -> None:
    assert image_size(picture(kind, 300, 200, **options)) == (300, 200)


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"\xff\xd8\xff\xe0\x00", b"RIFF....WEBP", b"GIF8"]
)
def test_a_header_that_is_cut_off_has_no_size(data: bytes) -> None:
    assert image_size(data) is None


def test_an_image_that_fits_is_left_as_it_is() -> None:
    data = picture("PNG", MAX_SIDE, 10)
    block = fit_image(data, "image/png")
    assert (block.media_type, base64.b64decode(block.data)) == ("image/png", data)


@pytest.mark.parametrize(
    ("kind", "media_type"), [("PNG", "image/png"), ("GIF", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/jpeg")]
)
def test_too_many_pixels_become_fewer(kind: str, media_type: str) -> None:
    block = fit_image(picture(kind, 2 * MAX_SIDE, MAX_SIDE), f"image/{kind.lower()}")
    assert block.media_type == media_type
    assert opened(block.data).size == (MAX_SIDE, MAX_SIDE // 2)


def test_too_many_bytes_become_fewer() -> None:
    data = noise(1200, 1100)
    assert len(data) > MAX_BYTES
    block = fit_image(data, "image/png")
    assert (block.media_type, opened(block.data).size) == ("image/jpeg", (1200, 1100))
    assert len(base64.b64decode(block.data)) <= MAX_BYTES


def test_transparent_is_white_and_upright_is_upright() -> None:
    see_through = fit_image(picture("WEBP", MAX_SIDE + 2, 2, "RGBA", (0, 0, 0, 0), lossless=True), "image/webp")
    assert opened(see_through.data).getpixel((0, 0)) == (255, 255, 255)
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    turned = fit_image(picture("JPEG", 2 * MAX_SIDE, MAX_SIDE, exif=exif), "image/jpeg")
    assert opened(turned.data).size == (MAX_SIDE // 2, MAX_SIDE)


def test_junk_is_refused_with_a_reason() -> None:
    with pytest.raises(ImageTooLarge, match="can't be scaled down"):
        fit_image(b"\x89PNG\r\n\x1a\n" + bytes(MAX_BYTES), "image/png")


def test_without_pillow_the_person_is_told_what_to_install() -> None:
    code = (
        "import sys; sys.modules['PIL'] = None\n"
        "from helloclaw.llm.images import ImageTooLarge, fit_image\n"
        "try: fit_image(bytes(4_000_000), 'image/png')\n"
        "except ImageTooLarge as error: print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'helloclaw[images]'" in said
