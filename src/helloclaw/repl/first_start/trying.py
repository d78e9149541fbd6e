"""The last question of a first start: does the chosen model work? And if not, what now?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from msgspec import structs

from helloclaw.doctor.trial import Finding, Heard, judge, try_model
from helloclaw.llm.providers import UnknownModel
from helloclaw.llm.wire import Endpoint
from helloclaw.repl.first_start.asking import Asking
from helloclaw.repl.menu import Choice, Menu
from helloclaw.settings.values import LlmSettings
from helloclaw.wording.plain import one_line

_MOST_TOKENS = 200

Decision = Literal["works", "keep", "change"]


async def try_out(
    asking: Asking,
    model_id: str,
    endpoint: Callable[[], Endpoint],
    llm: LlmSettings,
    *,
    models: Path,
    environ: Mapping[str, str],
) -> Decision | None:
    """Call the model until it works or the person decides otherwise; None to go back.

    `endpoint` may raise `UnknownModel`. Raises `GivenUp` and `Interrupted`.
    """
    say = asking.say
    llm = structs.replace(llm, max_output_tokens=_MOST_TOKENS, thinking="off")
    while True:
        rows: list[str] = []

        def hearing(heard: Heard, rows: list[str] = rows) -> None:
            if heard.first_s is not None and not rows:
                rows.append(_row(asking, "ok", "connection", f"{heard.first_s * 1000:.0f} ms"))

        try:
            at = endpoint()
        except UnknownModel as problem:
            asking.tell(f"{asking.mark('no')} {say.say(problem.phrase)}")
        else:
            work = try_model(at, llm, models=models, environ=environ, hearing=hearing)
            heard = await asking.wait(work, say("first.trying", model=one_line(model_id)), lambda rows=rows: rows)
            findings = judge(heard, at, wants_thinking=False)
            _report(asking, findings)
            if not any(finding.state == "no" and finding.name != "usage" for finding in findings):
                return "works"
        choices = (
            Choice("again", say("first.trial.again")),
            Choice("change", say("first.trial.change")),
            Choice("keep", say("first.trial.keep"), say("first.trial.keep_about")),
        )
        decision = await asking.choose(Menu(choices), say("first.trial.failed"))
        if decision != "again":
            return decision


def _report(asking: Asking, findings: list[Finding]) -> None:
    for finding in findings:
        if finding.state == "off":
            continue  # thinking, which is not asked for here
        asking.tell(_row(asking, finding.state, finding.name, finding.detail))
        if finding.fix is not None and (fix := asking.say.say(finding.fix)):
            asking.tell(f"  {fix}")


def _row(asking: Asking, state: str, name: str, detail: str) -> str:
    return f"{asking.mark(state)} {asking.say(f'model.check.{name}')}  {one_line(detail, 160)}".rstrip()
