"""The way through a first start, and what it comes to."""

from __future__ import annotations

import pytest

from helloclaw.repl.first_start.steps import Answers, Offer, Step, after, before, cleaned, path

HELD = Offer(kind="held", name="deepseek", provider="deepseek", held_by="DEEPSEEK_API_KEY")
SERVER = Offer(kind="server", name="Ollama", provider="ollama", base_url="http://127.0.0.1:9/v1", models=("qwen3",))
HERE = Offer(kind="embedded", name="Qwen", provider="local")
TO_FETCH = Offer(kind="embedded", name="Qwen", provider="local", bytes=10**9)
PROVIDER = Offer(kind="provider", name="zhipu", provider="zhipu")
ADDRESS = Offer(kind="address", name="")


@pytest.mark.parametrize(
    ("offer", "steps"),
    [
        (HELD, ["model", "trial"]),
        (SERVER, ["model", "trial"]),
        (HERE, ["trial"]),
        (TO_FETCH, []),
        (PROVIDER, ["key", "model", "trial"]),
        (ADDRESS, ["address", "key", "model", "trial"]),
    ],
    ids=lambda value: value.kind if isinstance(value, Offer) else "",
)
def test_every_way_leads_there_and_back(offer: Offer, steps: list[Step]) -> None:
    answers = Answers(lang="en", offer=offer)
    assert list(path(answers)) == ["language", "offer", *steps, "save"]
    there: list[Step] = ["language"]
    while there[-1] != "save":
        there.append(after(there[-1], answers))
    back: list[Step] = ["save"]
    while back[-1] != "left":
        back.append(before(back[-1], answers))
    assert there == list(path(answers)) == back[-2::-1]


@pytest.mark.parametrize(
    ("answers", "settings"),
    [
        (Answers(lang="en", offer=HELD, model="v4"), {"llm.model_id": "deepseek/v4", "ui.lang": "en"}),
        (
            Answers(lang="zh", offer=SERVER, model="qwen3"),
            {"llm.model_id": "ollama/qwen3", "llm.base_url": "http://127.0.0.1:9/v1", "ui.lang": "zh"},
        ),
        (Answers(lang="en", offer=TO_FETCH), {"llm.model_id": "local", "ui.lang": "en"}),
        (
            Answers(lang="en", offer=PROVIDER, api_key="sk", model="glm"),
            {"llm.model_id": "zhipu/glm", "llm.api_key": "sk", "ui.lang": "en"},
        ),
        (
            Answers(lang="en", offer=ADDRESS, base_url="http://h/v1", model="a/b"),
            {"llm.model_id": "a/b", "llm.base_url": "http://h/v1", "ui.lang": "en"},
        ),
    ],
)
def test_only_what_was_said_is_written(answers: Answers, settings: dict[str, str]) -> None:
    assert answers.settings() == settings


@pytest.mark.parametrize(
    "pasted", ["sk-1", "  sk-1 \n", '"sk-1"', "'sk-1' ", "“sk-1”", "\ufeffsk-1", "`sk-1`\r\n", "sk-\n1", ' " sk-1 " ']
)
def test_a_pasted_key_is_cleaned(pasted: str) -> None:
    assert cleaned(pasted) == "sk-1"
