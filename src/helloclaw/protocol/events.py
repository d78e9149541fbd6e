"""Events out: one tagged union, the same for the terminal, the browser, the journal and the library.

Each event has `type`, `session_id`, `seq` and `ts` (seconds since 1970, UTC). Persisted events are numbered 1, 2, 3… by
`seq` within their session; a delta carries the `seq` of the persisted event it will end in; others have `seq: null`.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from helloclaw.llm.events import StopReason, Usage
from helloclaw.llm.messages import Block, ImageBlock

Mode = Literal["default", "plan", "auto"]
DeniedBy = Literal["permission", "user", "hook", "timeout"]
TurnEnd = Literal["done", "limit", "failed", "interrupted"]
# Who wrote a user-role message: the person, the program (a reminder), a schedule, background work, another agent, or a
# command that the person ran beside the conversation.
Source = Literal["user", "reminder", "schedule", "background", "inbox", "command"]
# Where the rule of an `always` is kept: for this session only, in the project's rules, in the person's own.
Save = Literal["session", "project", "user"]


class Base(Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    session_id: str = ""
    seq: int | None = None
    ts: float = 0.0


class SessionCreated(Base, tag="session_created", frozen=True, kw_only=True):
    workdir: str
    title: str = ""
    forked_from: str | None = None


class SessionUpdated(Base, tag="session_updated", frozen=True, kw_only=True):
    title: str | None = None
    mode: Mode | None = None
    model: str | None = None


class SessionDeleted(Base, tag="session_deleted", frozen=True, kw_only=True):
    pass


class UserMessage(Base, tag="user_message", frozen=True, kw_only=True):
    """What enters the next model call in the user's role. `context` is injected by the program, before `text`."""

    text: str
    context: tuple[str, ...] = ()
    images: tuple[ImageBlock, ...] = ()
    source: Source = "user"
    client_id: str | None = None


class AssistantStart(Base, tag="assistant_start", frozen=True, kw_only=True):
    pass


class AssistantDelta(Base, tag="assistant_delta", frozen=True, kw_only=True):
    text: str


class AssistantEnd(Base, tag="assistant_end", frozen=True, kw_only=True):
    """One whole assistant message: what history is rebuilt from. `interrupted` when the person stopped it half-way."""

    text: str
    content: tuple[Block, ...] = ()
    model: str = ""
    interrupted: bool = False


class ThinkingStart(Base, tag="thinking_start", frozen=True, kw_only=True):
    pass


class ThinkingDelta(Base, tag="thinking_delta", frozen=True, kw_only=True):
    text: str


class ThinkingEnd(Base, tag="thinking_end", frozen=True, kw_only=True):
    pass


class ToolUse(Base, tag="tool_use", frozen=True, kw_only=True):
    id: str
    name: str
    input: dict[str, Any]


class ToolStart(Base, tag="tool_start", frozen=True, kw_only=True):
    id: str
    name: str


class ToolProgress(Base, tag="tool_progress", frozen=True, kw_only=True):
    id: str
    name: str
    text: str


class FileChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a tool did to one file. `path` is absolute; `before` and `after` are the SHA-256 of its content, in
    hexadecimal, None where there was or is no file. The content before is kept beside the journal.
    """

    path: str
    before: str | None = None
    after: str | None = None


class ToolEnd(Base, tag="tool_end", frozen=True, kw_only=True):
    """A call's result. `output` is what the model reads; `output_preview` its first 400 characters, for a tool line.

    `error` is the first line of what went wrong. `diff` is a unified diff when the tool changed a file, which `changes`
    lets a rewind undo.
    """

    id: str
    name: str
    duration_ms: int
    output_preview: str
    output: str
    error: str | None = None
    diff: str | None = None
    images: tuple[ImageBlock, ...] = ()
    changes: tuple[FileChange, ...] = ()


class Why(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reason that permissions gave, by its id and what it is about, for front ends that speak another language."""

    id: str
    about: str = ""


class ToolDenied(Base, tag="tool_denied", frozen=True, kw_only=True):
    """A call that was not run. `output` is what the model reads; `rule` the `--allow` rule that would let it pass.

    `reason` is English; `why` says the same where it was permissions that gave it.
    """

    id: str
    name: str
    input: dict[str, Any]
    reason: str
    output: str
    source: DeniedBy
    rule: str | None = None
    why: Why | None = None


class Phase(Base, tag="phase", frozen=True, kw_only=True):
    state: Literal["idle", "thinking", "answering", "tool", "waiting", "asking", "noting", "compacting"]
    label: str = ""


class LlmStart(Base, tag="llm_start", frozen=True, kw_only=True):
    model: str
    step: int


class LlmRetry(Base, tag="llm_retry", frozen=True, kw_only=True):
    """The call is repeated in `wait_s` seconds; what it had streamed is void (`superseded` if there was any).

    `message` is English; `detail` is what of it is in no language: names, numbers, the server's own words.
    """

    attempt: int
    limit: int
    wait_s: float
    kind: str
    message: str
    superseded: bool = False
    detail: str = ""


class LlmFallback(Base, tag="llm_fallback", frozen=True, kw_only=True):
    what: Literal["model", "thinking"]
    before: str
    after: str
    message: str
    detail: str = ""


class LlmEnd(Base, tag="llm_end", frozen=True, kw_only=True):
    model: str
    stop_reason: StopReason
    duration_ms: int
    first_token_ms: int | None = None


class UsageEvent(Base, tag="usage", frozen=True, kw_only=True):
    """Tokens: of the last call, of the session so far, and how full the context is against the compaction threshold."""

    last: Usage
    total: Usage
    context_tokens: int
    token_threshold: int
    ctx_percent: float
    cost_usd: float | None = None


class Status(Base, tag="status", frozen=True, kw_only=True):
    """What takes long, or an empty text when it is over. `code` and `values` say it in other languages."""

    text: str
    code: str = ""
    values: dict[str, str] = {}


class Notice(Base, tag="notice", frozen=True, kw_only=True):
    """`text` is English. `code` and `values` say the same, where a front end speaks another language."""

    text: str
    code: str = ""
    values: dict[str, str] = {}
    level: Literal["info", "warning"] = "info"


class ErrorEvent(Base, tag="error", frozen=True, kw_only=True):
    """`message` and `hint` are English. For another language `code` and `values` say the same; else `kind` says what
    happened, and `detail` what of the message is in no language: names, numbers, the server's own words.
    """

    message: str
    hint: str = ""
    retryable: bool = False
    kind: str = ""
    detail: str = ""
    code: str = ""
    values: dict[str, str] = {}


class PermissionAsk(Base, tag="permission_ask", frozen=True, kw_only=True):
    """A question to the person. `reason` is English, `why` says the same. `cwd` is where a command would run.

    `saves` are the places where an `always` can be kept.
    """

    ask_id: str
    tool_name: str
    tool_input: dict[str, Any]
    reason: str
    suggested_rules: tuple[str, ...] = ()
    timeout_sec: int = 180
    diff: str | None = None
    why: Why | None = None
    cwd: str = ""
    saves: tuple[Save, ...] = ("session",)


class PermissionResolved(Base, tag="permission_resolved", frozen=True, kw_only=True):
    """The question is closed: by an answer, by nobody's answer, or because the turn was cancelled.

    `save` is where the rule of an `always` was kept: for the session if it could not be kept where it should be.
    """

    ask_id: str
    decision: Literal["allow", "deny", "always", "timeout", "cancelled"]
    rule: str | None = None
    reason: str = ""
    save: Save = "session"


class MessageQueued(Base, tag="message_queued", frozen=True, kw_only=True):
    """A message waits for the running turn's next step; until then it can be recalled by its `client_id`."""

    text: str
    client_id: str | None = None


class MessageRecalled(Base, tag="message_recalled", frozen=True, kw_only=True):
    """A waiting message was taken back: it was never said."""

    text: str
    client_id: str | None = None


class Cleared(Base, tag="cleared", frozen=True, kw_only=True):
    """From here on the model sees nothing of what was said before. The journal keeps it."""

    conversation: bool = False
    usage: bool = False
    todos: bool = False


class Rewound(Base, tag="rewound", frozen=True, kw_only=True):
    """The event with `seq` number `to` and all after it, up to this one, no longer count. The journal keeps them.

    `restored` are the files that were put back, `left` those that were not, because somebody changed them since.
    """

    to: int
    restored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class CronFire(Base, tag="cron_fire", frozen=True, kw_only=True):
    id: str
    prompt: str


class CronAutoRunStart(Base, tag="cron_auto_run_start", frozen=True, kw_only=True):
    id: str
    prompt: str


class CronAutoRunDone(Base, tag="cron_auto_run_done", frozen=True, kw_only=True):
    id: str
    text: str


class CronAutoRunError(Base, tag="cron_auto_run_error", frozen=True, kw_only=True):
    id: str
    message: str


class Compacted(Base, tag="compacted", frozen=True, kw_only=True):
    """Everything before `keep_from` (a `seq`) is replaced by `summary` in what the model sees; the journal keeps it.

    `last_words` is the person's last message, word for word, where that was before `keep_from`. `files_read` and
    `files_changed` were named by calls before it, most recent last.
    """

    summary: str
    last_words: str = ""
    keep_from: int
    before_tokens: int
    after_tokens: int
    transcript: str | None = None
    files_read: tuple[str, ...] = ()
    files_changed: tuple[str, ...] = ()


class ResultsDropped(Base, tag="results_dropped", frozen=True, kw_only=True):
    """Tool results before `before` (a `seq`) are no longer part of what the model sees; the journal keeps them.

    Those of `read_file` stay. `freed_tokens` is an estimate.
    """

    before: int
    freed_tokens: int


class MemorySaved(Base, tag="memory_saved", frozen=True, kw_only=True):
    """Notes were kept of what was said: by rules after a turn, or by the model before a compaction (`flush`).

    A flush that found nothing worth keeping has none.
    """

    notes: tuple[str, ...]
    flush: bool = False


class RoundEnd(Base, tag="round_end", frozen=True, kw_only=True):
    """The turn is over and everything of it is on disk (fsynced)."""

    reason: TurnEnd
    stop_reason: StopReason | None = None
    steps: int = 0
    duration_ms: int = 0
    usage: Usage = Usage()
    cost_usd: float | None = None


Event = (
    SessionCreated
    | SessionUpdated
    | SessionDeleted
    | UserMessage
    | AssistantStart
    | AssistantDelta
    | AssistantEnd
    | ThinkingStart
    | ThinkingDelta
    | ThinkingEnd
    | ToolUse
    | ToolStart
    | ToolProgress
    | ToolEnd
    | ToolDenied
    | Phase
    | LlmStart
    | LlmRetry
    | LlmFallback
    | LlmEnd
    | UsageEvent
    | Status
    | Notice
    | ErrorEvent
    | PermissionAsk
    | PermissionResolved
    | MessageQueued
    | MessageRecalled
    | Cleared
    | Rewound
    | CronFire
    | CronAutoRunStart
    | CronAutoRunDone
    | CronAutoRunError
    | Compacted
    | ResultsDropped
    | MemorySaved
    | RoundEnd
)

# Pieces of an `assistant_end` to come, and numbered like it.
PIECES = (AssistantStart, AssistantDelta, ThinkingStart, ThinkingDelta, ThinkingEnd)
# Never journalled: shown while it happens and worthless afterwards, or said by the journal's header.
TRANSIENT = (*PIECES, ToolProgress, Phase, Status, LlmStart, SessionCreated, MessageQueued, MessageRecalled)
