"""What a first start offers, in which order, and where it leads."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from helloclaw.llm.local_servers import LocalServer
from helloclaw.repl.first_start.offers import offers
from helloclaw.repl.first_start.steps import Answers, Offer
from helloclaw.settings.endpoint import endpoint_from
from helloclaw.settings.environment import Given
from helloclaw.settings.source import SettingsSource
from helloclaw.settings.values import Origin
from helloclaw.storage.paths import Home

OLLAMA = LocalServer(name="Ollama", provider="ollama", base_url="", models=("qwen3",))
LLAMA_CPP = LocalServer(name="llama.cpp", provider="", base_url="http://127.0.0.1:8080/v1", models=("gguf",))
GATEWAY = "https://gateway.example.com"


def found(tmp_path: Path, *servers: LocalServer, **environ: str) -> list[Offer]:
    source = SettingsSource(Home(tmp_path), environ)
    return offers(source.current(), source.environ, servers, tmp_path / "models")


def address(tmp_path: Path, offer: Offer, **environ: str) -> str:
    """Where the model would be called, once this is written."""
    said = Answers(lang="en", offer=offer, model="m", api_key="sk").settings()
    source = SettingsSource(Home(tmp_path), environ, {key: Given(value, Origin("file")) for key, value in said.items()})
    return endpoint_from(source.current(), source.environ).base_url


def test_what_was_found_comes_before_what_needs_a_key(tmp_path: Path) -> None:
    shown = found(tmp_path, OLLAMA, LLAMA_CPP, MISTRAL_API_KEY="k", LLM_BASE_URL=GATEWAY)
    kinds = [offer.kind for offer in shown]
    assert [offer.name for offer in shown[:4]] == [GATEWAY, "mistral", "Ollama", "llama.cpp"]
    assert kinds == sorted(kinds, key=["held", "server", "embedded", "provider", "address"].index)
    assert ("embedded" in kinds) == (find_spec("xllamacpp") is not None)
    assert "mistral" not in [offer.name for offer in shown if offer.kind == "provider"]
    assert kinds[-1] == "address"


def test_a_local_server_is_called_at_its_own_address_whatever_else_is_set(tmp_path: Path) -> None:
    for variable in ("LLM_BASE_URL", "ANTHROPIC_BASE_URL"):
        environ = {variable: GATEWAY}
        server = next(offer for offer in found(tmp_path, OLLAMA, **environ) if offer.kind == "server")
        assert address(tmp_path, server, **environ) == "http://localhost:11434/v1"
    (server,) = [offer for offer in found(tmp_path, OLLAMA) if offer.kind == "server"]
    assert (server.base_url, address(tmp_path, server)) == ("", "http://localhost:11434/v1")


def test_a_key_never_goes_to_the_gateway_that_anthropics_variable_names(tmp_path: Path) -> None:
    environ = {"ANTHROPIC_BASE_URL": GATEWAY, "DEEPSEEK_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    shown = {offer.name: offer for offer in found(tmp_path, **environ)}
    assert GATEWAY not in shown
    addresses = {name: address(tmp_path, shown[name], **environ) for name in ("deepseek", "zhipu", "anthropic")}
    assert addresses == {
        "deepseek": "https://api.deepseek.com",
        "zhipu": "https://open.bigmodel.cn/api/paas/v4",
        "anthropic": GATEWAY,
    }
