"""`helloclaw model test`: does the model work, and if not, what to do about it?"""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import structs

from helloclaw.cli.outcome import DONE, FAILED, INTERRUPTED, TRY_AGAIN
from helloclaw.cli.run import Run
from helloclaw.doctor.trial import Finding, Heard, judge, try_model
from helloclaw.llm.address import shown_address
from helloclaw.llm.wire import Endpoint
from helloclaw.settings.endpoint import endpoint_from
from helloclaw.wording.plain import one_line


def test_model(run: Run) -> int:
    source = run.settings()
    settings = source.current()
    endpoint = endpoint_from(settings, source.environ, model_id=run.arguments.text("name"))
    try:
        heard = asyncio.run(try_model(endpoint, settings.llm, models=run.home().models, environ=run.environ))
    except KeyboardInterrupt:
        return INTERRUPTED
    checks = judge(heard, endpoint, wants_thinking=settings.llm.thinking == "enabled")
    _report(run, endpoint, heard, checks)
    if heard.failure is not None:
        return TRY_AGAIN if heard.failure.retryable else FAILED
    return FAILED if any(check.state == "no" and check.name != "usage" for check in checks) else DONE


def _report(run: Run, endpoint: Endpoint, heard: Heard, checks: list[Finding]) -> None:
    if run.as_json:
        run.terminal.json(_as_json(run, endpoint, heard, checks))
        return
    say = run.say
    where = (endpoint.origin, shown_address(endpoint.base_url), f"({endpoint.wire})")
    run.terminal.line("  ".join(one_line(each) for each in where if each))
    for check in checks:
        state = say(f"model.state.{check.state}")
        run.terminal.line(f"  {say(f'model.check.{check.name}')}  {state}  {one_line(check.detail, 160)}".rstrip())
        if check.fix is not None and (fix := say.say(check.fix)):
            run.terminal.line(f"      → {one_line(fix)}")


def _as_json(run: Run, endpoint: Endpoint, heard: Heard, checks: list[Finding]) -> dict[str, Any]:
    rows = [
        {
            "name": check.name,
            "state": check.state,
            "detail": check.detail,
            "fix": run.say.say(check.fix) if check.fix else None,
        }
        for check in checks
    ]
    return {
        "model": endpoint.origin,
        "base_url": shown_address(endpoint.base_url),
        "wire": endpoint.wire,
        "ok": heard.failure is None and all(check.state != "no" for check in checks),
        "checks": rows,
        "first_token_ms": None if heard.first_s is None else round(heard.first_s * 1000),
        "duration_ms": round(heard.whole_s * 1000),
        "usage": structs.asdict(heard.usage),
    }
