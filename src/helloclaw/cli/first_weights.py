"""The embedded model's weights, fetched before the first conversation that needs them: with nothing set up, it answers.

What else may be wrong with the model is left for the session to say.
"""

from __future__ import annotations

from importlib.util import find_spec

from helloclaw.cli.run import Run
from helloclaw.settings.source import SettingsSource


def fetch_missing_weights(run: Run, source: SettingsSource) -> None:
    """Pull what the settings' model needs and this computer lacks, saying so on standard error.

    Raises `PullFailed`; `asyncio.CancelledError` when somebody stops it.
    """
    name = _embedded(source)
    if name is None:
        return
    from helloclaw.llm.local.weights import UnknownWeights, find, models_directory, pulled

    try:
        weights = find(name)
    except UnknownWeights:
        return
    directory = models_directory(run.home().models, run.environ)
    if pulled(weights, directory) or find_spec("xllamacpp") is None:
        return
    from helloclaw.cli.model_pull import pull_shown

    size = f"{weights.bytes / 1e9:.1f}"
    run.terminal.hint(run.say("model.first_pull", title=weights.title, size=size, directory=str(directory)) + "\n")
    pull_shown(run, weights.name)


def _embedded(source: SettingsSource) -> str | None:
    """The embedded model's name if the settings mean one, None for any other model."""
    from helloclaw.llm.providers import UnknownModel
    from helloclaw.settings.endpoint import endpoint_from

    try:
        endpoint = endpoint_from(source.current(), source.environ)
    except UnknownModel:
        return None
    return endpoint.model if endpoint.profile.name == "local" and not endpoint.base_url else None
