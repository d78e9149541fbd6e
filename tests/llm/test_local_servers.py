"""Servers of models on this computer."""

from __future__ import annotations

import time

import pytest

from helloclaw.llm.local_servers import LocalServer, Place, find_local_servers, ollama_address, usual_places
from tests.support.model_server import ModelServer, json_answer, silent_listener


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("", "http://localhost:11434/v1"),
        ("127.0.0.1", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:1234", "http://127.0.0.1:1234/v1"),
        (":9000", "http://127.0.0.1:9000/v1"),
        ("[::1]:9000", "http://[::1]:9000/v1"),
        ("http://localhost:9000/", "http://localhost:9000/v1"),
        ("https://localhost", "https://localhost:443/v1"),
        ("192.168.1.7:11434", ""),
        ("http://models.example.com", ""),
        ("localhost:port", ""),
        ("ftp://localhost", ""),
    ],
)
def test_ollama_host_is_read_as_ollama_does_but_never_leads_away(said: str, address: str) -> None:
    assert ollama_address(said) == address


def test_a_place_away_from_this_computer_is_left_out() -> None:
    assert [place.name for place in usual_places({"OLLAMA_HOST": "10.0.0.1"})] == ["LM Studio", "vLLM", "llama.cpp"]


async def test_those_that_answer_are_found_in_order_and_without_a_key() -> None:
    with ModelServer() as first, ModelServer() as second, ModelServer() as broken:
        first.models = ["nomic-embed-text", "qwen3"]
        broken.models_answer = json_answer({"error": "no"}, status=500)
        places = [
            Place(name="vLLM", provider="vllm", base_url=f"{broken.base_url}/v1"),
            Place(name="Ollama", provider="ollama", base_url=f"{first.base_url}/v1"),
            Place(name="nothing", provider="lmstudio", base_url="http://127.0.0.1:9/v1"),
            Place(name="llama.cpp", provider="", base_url=f"{second.base_url}/v1"),
        ]
        assert await find_local_servers({"VLLM_API_KEY": "secret"}, places, wait_s=5) == [
            LocalServer(
                name="Ollama", provider="ollama", base_url=f"{first.base_url}/v1", models=("qwen3", "nomic-embed-text")
            ),
            LocalServer(name="llama.cpp", provider="", base_url=f"{second.base_url}/v1", models=("scripted",)),
        ]
        assert "authorization" not in {name.lower() for request in broken.requests for name in request.headers}


@pytest.mark.alone
async def test_one_that_says_nothing_is_not_waited_for() -> None:
    with silent_listener() as url:
        place = Place(name="Ollama", provider="ollama", base_url=f"{url}/v1")
        await find_local_servers({}, [], wait_s=0.2)
        began = time.monotonic()
        assert await find_local_servers({}, [place, place], wait_s=0.2) == []
        assert time.monotonic() - began < 1.0
