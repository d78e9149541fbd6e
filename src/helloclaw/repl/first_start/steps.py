"""The way through a first start: which question comes after which, and where Esc leads back to. Pure.

How a question is put, and what is found on this computer, is `wizard`'s and `offers`' business.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from helloclaw.i18n import Lang

Step = Literal["language", "offer", "address", "key", "model", "trial", "save", "left"]


class Offer(Struct, frozen=True, kw_only=True):
    """Something to talk to.

    `provider` stands before the slash of the model's name, "" for a bare one. `base_url` is "" where it need not be
    set. `models` are known already; `held_by` is the variable that holds the key or the address. `bytes` is what the
    embedded model's weights take, 0 once they are here.
    """

    kind: Literal["held", "server", "embedded", "provider", "address"]
    name: str
    provider: str = ""
    base_url: str = ""
    models: tuple[str, ...] = ()
    held_by: str = ""
    bytes: int = 0


class Answers(Struct, frozen=True, kw_only=True):
    """What has been said so far."""

    lang: Lang
    offer: Offer | None = None
    base_url: str = ""
    api_key: str = ""
    model: str = ""

    @property
    def model_id(self) -> str:
        provider = self.offer.provider if self.offer else ""
        if self.offer is not None and self.offer.kind == "embedded":
            return "local"
        return f"{provider}/{self.model}" if provider else self.model

    def settings(self) -> dict[str, Any]:
        """What is to be written, by key. A key that a variable holds stays there."""
        address = self.base_url or (self.offer.base_url if self.offer else "")
        said = {"llm.model_id": self.model_id, "llm.base_url": address, "llm.api_key": self.api_key}
        return {key: value for key, value in said.items() if value} | {"ui.lang": self.lang}


def path(answers: Answers) -> tuple[Step, ...]:
    """All the steps, as far as they are known from what was chosen."""
    offer = answers.offer
    if offer is None:
        return ("language", "offer")
    match offer.kind:
        case "held" | "server":
            rest: tuple[Step, ...] = ("model", "trial")
        case "embedded":
            # Weights that are not here yet are fetched, with a bar, when the conversation begins.
            rest = () if offer.bytes else ("trial",)
        case "provider":
            rest = ("key", "model", "trial")
        case "address":
            rest = ("address", "key", "model", "trial")
    return ("language", "offer", *rest, "save")


def after(step: Step, answers: Answers) -> Step:
    steps = path(answers)
    return steps[steps.index(step) + 1]


def before(step: Step, answers: Answers) -> Step:
    """Where Esc leads; before the first question there is only leaving."""
    steps = path(answers)
    place = steps.index(step)
    return steps[place - 1] if place else "left"


def cleaned(pasted: str) -> str:
    """A key as it was meant: without the blanks, quotes and line breaks that come along with a paste."""
    text = "".join(pasted.split()) if "\n" in pasted or "\r" in pasted else pasted
    before = None
    while text != before:
        before, text = text, text.strip().strip("\"'`\u201c\u201d\u2018\u2019\u200b\ufeff")
    return text
