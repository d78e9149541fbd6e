"""A session's images, in files beside its journal: a line of the journal holds their names only.

A file is named by its content, so that one image is kept once, however often it is shown.
"""

from __future__ import annotations

import base64
import binascii
import logging
import re
from hashlib import sha256
from pathlib import Path
from typing import TypeVar, cast

from msgspec import structs

from helloclaw.llm.messages import ImageBlock
from helloclaw.protocol.events import Base, ToolEnd, UserMessage
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file

log = logging.getLogger(__name__)

Kept = TypeVar("Kept", bound=Base)

# No base64 text holds a colon, so a name can't be taken for an image.
_PREFIX = "file:"
_NAME = re.compile(r"[0-9a-f]{64}\.[a-z]{3,4}")
_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}


def attachments_of(journal: Path) -> Path:
    """The directory of a journal's images. It need not exist."""
    return journal.with_suffix(".images")


class Attachments:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def put_away(self, event: Kept) -> Kept:
        """The event as it goes into the journal. Its images are on disk then, fsynced. Raises `OSError`."""
        if not isinstance(event, UserMessage | ToolEnd) or not event.images:
            return event
        return cast("Kept", structs.replace(event, images=tuple(map(self._keep, event.images))))

    def bring_back(self, event: Kept) -> Kept:
        """The event with its images again. One whose file is gone is left out."""
        if not isinstance(event, UserMessage | ToolEnd) or not event.images:
            return event
        found = [self._load(image) for image in event.images]
        return cast("Kept", structs.replace(event, images=tuple(image for image in found if image is not None)))

    def _keep(self, image: ImageBlock) -> ImageBlock:
        try:
            data = base64.b64decode(image.data, validate=True)
        except (binascii.Error, ValueError):
            return image  # No image, whatever it is: the model's provider will say so.
        path = self._directory / f"{sha256(data).hexdigest()}.{_ENDINGS.get(image.media_type, 'bin')}"
        if not path.exists():
            private_directory(self._directory)
            replace_file(path, data, mode=PRIVATE_FILE)
        return structs.replace(image, data=_PREFIX + path.name)

    def _load(self, image: ImageBlock) -> ImageBlock | None:
        name = image.data.removeprefix(_PREFIX)
        if name == image.data:
            return image
        try:
            if not _NAME.fullmatch(name):
                raise FileNotFoundError(name)
            data = (self._directory / name).read_bytes()
        except OSError as error:
            log.warning("an image of the conversation is lost: %s", error)
            return None
        return structs.replace(image, data=base64.b64encode(data).decode("ascii"))
