"""Ask a model over a real connection, and look at what the answer amounts to."""

from __future__ import annotations

from msgspec.structs import replace

from helloclaw.llm.accumulate import Accumulator
from helloclaw.llm.events import StreamEvent, ToolCallDelta, ToolCallEnd, ToolCallStart
from helloclaw.llm.messages import Block, MalformedCall, ModelRequest, ToolCall
from helloclaw.llm.transport import Transport
from helloclaw.llm.wire import Endpoint, Wire


async def ask(wire: Wire, request: ModelRequest, endpoint: Endpoint) -> list[StreamEvent]:
    """The events of one call, without retries."""
    transport = Transport()
    try:
        return [event async for event in transport.call(request, endpoint, wire)]
    finally:
        await transport.aclose()


def amounts_to(events: list[StreamEvent]) -> Accumulator:
    """What the events add up to; every call must have been announced and streamed as it ends."""
    folded = Accumulator()
    streamed: dict[str, str] = {}
    for event in events:
        folded.add(event)
        match event:
            case ToolCallStart(id=id_):
                assert id_ not in streamed
                streamed[id_] = ""
            case ToolCallDelta(id=id_, json=piece):
                streamed[id_] += piece
            case ToolCallEnd(call):
                assert call.id in streamed
            case _:
                pass
    return folded


def anonymous(blocks: tuple[Block, ...], expected: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks with `*` for the ids that `expected` leaves open; those must be there and differ."""
    ids = [block.id for block in blocks if isinstance(block, ToolCall | MalformedCall)]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    if len(blocks) != len(expected):
        return blocks
    pairs = zip(blocks, expected, strict=True)
    return tuple(
        replace(got, id="*") if getattr(want, "id", "") == "*" and hasattr(got, "id") else got for got, want in pairs
    )
