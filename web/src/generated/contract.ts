// Made by tools/generate.py from `helloclaw schema`. Don't edit.

export interface SessionCreated {
  readonly type: "session_created"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly workdir: string
  readonly title?: string
  readonly forked_from?: string | null
}

export interface SessionUpdated {
  readonly type: "session_updated"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly title?: string | null
  readonly mode?: "auto" | "default" | "plan" | null
  readonly model?: string | null
}

export interface SessionDeleted {
  readonly type: "session_deleted"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
}

/**
 * What enters the next model call in the user's role. `context` is injected by the program, before `text`.
 */
export interface UserMessage {
  readonly type: "user_message"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly text: string
  readonly context?: readonly string[]
  readonly images?: readonly ImageBlock[]
  readonly source?: "background" | "command" | "inbox" | "reminder" | "schedule" | "user"
  readonly client_id?: string | null
}

/**
 * An image. `data` is base64; `media_type` is a MIME type such as `image/png`.
 */
export interface ImageBlock {
  readonly type: "image"
  readonly media_type: string
  readonly data: string
}

export interface AssistantStart {
  readonly type: "assistant_start"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
}

export interface AssistantDelta {
  readonly type: "assistant_delta"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly text: string
}

/**
 * One whole assistant message: what history is rebuilt from. `interrupted` when the person stopped it half-way.
 */
export interface AssistantEnd {
  readonly type: "assistant_end"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly text: string
  readonly content?: readonly (TextBlock | ThinkingBlock | ToolCall | MalformedCall | ToolResult | ImageBlock)[]
  readonly model?: string
  readonly interrupted?: boolean
}

/**
 * Plain text, Markdown if it is the model's.
 */
export interface TextBlock {
  readonly type: "text"
  readonly text: string
}

/**
 * A model's reasoning, kept so that it can be replayed to the model that made it.
 *
 * `signature` is Anthropic's proof of origin, `redacted` its encrypted form, `details` whatever opaque structure a
 * gateway wants back as it was (OpenRouter's `reasoning_details`).
 */
export interface ThinkingBlock {
  readonly type: "thinking"
  readonly text?: string
  readonly signature?: string | null
  readonly redacted?: string | null
  readonly details?: readonly unknown[] | null
}

/**
 * A call whose arguments are a JSON object. `signature` is Gemini's `thought_signature`, replayed untouched.
 */
export interface ToolCall {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly signature?: string | null
}

/**
 * A call that can't be run: its arguments are no JSON object. It is answered with `error`, never guessed at.
 */
export interface MalformedCall {
  readonly type: "malformed_tool_use"
  readonly id: string
  readonly name: string
  readonly raw: string
  readonly error: string
}

/**
 * The answer to the call with id `tool_use_id`.
 */
export interface ToolResult {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly text: string
  readonly is_error?: boolean
  readonly images?: readonly ImageBlock[]
}

export interface ThinkingStart {
  readonly type: "thinking_start"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
}

export interface ThinkingDelta {
  readonly type: "thinking_delta"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly text: string
}

export interface ThinkingEnd {
  readonly type: "thinking_end"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
}

export interface ToolUse {
  readonly type: "tool_use"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface ToolStart {
  readonly type: "tool_start"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly id: string
  readonly name: string
}

export interface ToolProgress {
  readonly type: "tool_progress"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly id: string
  readonly name: string
  readonly text: string
}

/**
 * A call's result. `output` is what the model reads; `output_preview` its first 400 characters, for a tool line.
 *
 * `error` is the first line of what went wrong. `diff` is a unified diff when the tool changed a file, which `changes`
 * lets a rewind undo.
 */
export interface ToolEnd {
  readonly type: "tool_end"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly id: string
  readonly name: string
  readonly duration_ms: number
  readonly output_preview: string
  readonly output: string
  readonly error?: string | null
  readonly diff?: string | null
  readonly images?: readonly ImageBlock[]
  readonly changes?: readonly FileChange[]
}

/**
 * What a tool did to one file. `path` is absolute; `before` and `after` are the SHA-256 of its content, in
 * hexadecimal, None where there was or is no file. The content before is kept beside the journal.
 */
export interface FileChange {
  readonly path: string
  readonly before?: string | null
  readonly after?: string | null
}

/**
 * A call that was not run. `output` is what the model reads; `rule` the `--allow` rule that would let it pass.
 *
 * `reason` is English; `why` says the same where it was permissions that gave it.
 */
export interface ToolDenied {
  readonly type: "tool_denied"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly reason: string
  readonly output: string
  readonly source: "hook" | "permission" | "timeout" | "user"
  readonly rule?: string | null
  readonly why?: Why | null
}

/**
 * A reason that permissions gave, by its id and what it is about, for front ends that speak another language.
 */
export interface Why {
  readonly id: string
  readonly about?: string
}

export interface Phase {
  readonly type: "phase"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly state: "answering" | "asking" | "compacting" | "idle" | "noting" | "thinking" | "tool" | "waiting"
  readonly label?: string
}

export interface LlmStart {
  readonly type: "llm_start"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly model: string
  readonly step: number
}

/**
 * The call is repeated in `wait_s` seconds; what it had streamed is void (`superseded` if there was any).
 *
 * `message` is English; `detail` is what of it is in no language: names, numbers, the server's own words.
 */
export interface LlmRetry {
  readonly type: "llm_retry"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly attempt: number
  readonly limit: number
  readonly wait_s: number
  readonly kind: string
  readonly message: string
  readonly superseded?: boolean
  readonly detail?: string
}

export interface LlmFallback {
  readonly type: "llm_fallback"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly what: "model" | "thinking"
  readonly before: string
  readonly after: string
  readonly message: string
  readonly detail?: string
}

export interface LlmEnd {
  readonly type: "llm_end"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly model: string
  readonly stop_reason: "end_turn" | "max_tokens" | "pause_turn" | "refusal" | "stop_sequence" | "tool_use"
  readonly duration_ms: number
  readonly first_token_ms?: number | null
}

/**
 * Tokens: of the last call, of the session so far, and how full the context is against the compaction threshold.
 */
export interface UsageEvent {
  readonly type: "usage"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly last: Usage
  readonly total: Usage
  readonly context_tokens: number
  readonly token_threshold: number
  readonly ctx_percent: number
  readonly cost_usd?: number | null
}

/**
 * Tokens of one model call, each counted once: `input` leaves out what `cache_read` and `cache_write` count.
 *
 * `reasoning` is not one more kind: it says how much of `output` was thinking, where the provider tells.
 */
export interface Usage {
  readonly input?: number
  readonly output?: number
  readonly cache_read?: number
  readonly cache_write?: number
  readonly reasoning?: number
}

/**
 * What takes long, or an empty text when it is over. `code` and `values` say it in other languages.
 */
export interface Status {
  readonly type: "status"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly text: string
  readonly code?: string
  readonly values?: Readonly<Record<string, string>>
}

/**
 * `text` is English. `code` and `values` say the same, where a front end speaks another language.
 */
export interface Notice {
  readonly type: "notice"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly text: string
  readonly code?: string
  readonly values?: Readonly<Record<string, string>>
  readonly level?: "info" | "warning"
}

/**
 * `message` and `hint` are English. For another language `code` and `values` say the same; else `kind` says what
 * happened, and `detail` what of the message is in no language: names, numbers, the server's own words.
 */
export interface ErrorEvent {
  readonly type: "error"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly message: string
  readonly hint?: string
  readonly retryable?: boolean
  readonly kind?: string
  readonly detail?: string
  readonly code?: string
  readonly values?: Readonly<Record<string, string>>
}

/**
 * A question to the person. `reason` is English, `why` says the same. `cwd` is where a command would run.
 *
 * `saves` are the places where an `always` can be kept.
 */
export interface PermissionAsk {
  readonly type: "permission_ask"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly ask_id: string
  readonly tool_name: string
  readonly tool_input: Readonly<Record<string, unknown>>
  readonly reason: string
  readonly suggested_rules?: readonly string[]
  readonly timeout_sec?: number
  readonly diff?: string | null
  readonly why?: Why | null
  readonly cwd?: string
  readonly saves?: readonly ("project" | "session" | "user")[]
}

/**
 * The question is closed: by an answer, by nobody's answer, or because the turn was cancelled.
 *
 * `save` is where the rule of an `always` was kept: for the session if it could not be kept where it should be.
 */
export interface PermissionResolved {
  readonly type: "permission_resolved"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly ask_id: string
  readonly decision: "allow" | "always" | "cancelled" | "deny" | "timeout"
  readonly rule?: string | null
  readonly reason?: string
  readonly save?: "project" | "session" | "user"
}

/**
 * A message waits for the running turn's next step; until then it can be recalled by its `client_id`.
 */
export interface MessageQueued {
  readonly type: "message_queued"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly text: string
  readonly client_id?: string | null
}

/**
 * A waiting message was taken back: it was never said.
 */
export interface MessageRecalled {
  readonly type: "message_recalled"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly text: string
  readonly client_id?: string | null
}

/**
 * From here on the model sees nothing of what was said before. The journal keeps it.
 */
export interface Cleared {
  readonly type: "cleared"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly conversation?: boolean
  readonly usage?: boolean
  readonly todos?: boolean
}

/**
 * The event with `seq` number `to` and all after it, up to this one, no longer count. The journal keeps them.
 *
 * `restored` are the files that were put back, `left` those that were not, because somebody changed them since.
 */
export interface Rewound {
  readonly type: "rewound"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly to: number
  readonly restored?: readonly string[]
  readonly left?: readonly string[]
}

export interface CronFire {
  readonly type: "cron_fire"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly id: string
  readonly prompt: string
}

export interface CronAutoRunStart {
  readonly type: "cron_auto_run_start"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly id: string
  readonly prompt: string
}

export interface CronAutoRunDone {
  readonly type: "cron_auto_run_done"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly id: string
  readonly text: string
}

export interface CronAutoRunError {
  readonly type: "cron_auto_run_error"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly id: string
  readonly message: string
}

/**
 * Everything before `keep_from` (a `seq`) is replaced by `summary` in what the model sees; the journal keeps it.
 *
 * `last_words` is the person's last message, word for word, where that was before `keep_from`. `files_read` and
 * `files_changed` were named by calls before it, most recent last.
 */
export interface Compacted {
  readonly type: "compacted"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly summary: string
  readonly last_words?: string
  readonly keep_from: number
  readonly before_tokens: number
  readonly after_tokens: number
  readonly transcript?: string | null
  readonly files_read?: readonly string[]
  readonly files_changed?: readonly string[]
}

/**
 * Tool results before `before` (a `seq`) are no longer part of what the model sees; the journal keeps them.
 *
 * Those of `read_file` stay. `freed_tokens` is an estimate.
 */
export interface ResultsDropped {
  readonly type: "results_dropped"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly before: number
  readonly freed_tokens: number
}

/**
 * Notes were kept of what was said: by rules after a turn, or by the model before a compaction (`flush`).
 *
 * A flush that found nothing worth keeping has none.
 */
export interface MemorySaved {
  readonly type: "memory_saved"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly notes: readonly string[]
  readonly flush?: boolean
}

/**
 * The turn is over and everything of it is on disk (fsynced).
 */
export interface RoundEnd {
  readonly type: "round_end"
  readonly session_id?: string
  readonly seq?: number | null
  readonly ts?: number
  readonly reason: "done" | "failed" | "interrupted" | "limit"
  readonly stop_reason?: "end_turn" | "max_tokens" | "pause_turn" | "refusal" | "stop_sequence" | "tool_use" | null
  readonly steps?: number
  readonly duration_ms?: number
  readonly usage?: Usage
  readonly cost_usd?: number | null
}

/**
 * A message for the model: starts a turn, or joins the running one at its next step (steering).
 *
 * The same `client_id` twice is one message. `typed` is what the person typed with their own hands, where that is less
 * than `text`: nothing of a long paste, or of the text that a command stands for.
 */
export interface Say {
  readonly type: "say"
  readonly text: string
  readonly typed?: string | null
  readonly context?: readonly string[]
  readonly images?: readonly ImageBlock[]
  readonly source?: "background" | "command" | "inbox" | "reminder" | "schedule" | "user"
  readonly client_id?: string | null
}

/**
 * Stop the running turn, whatever it is doing.
 */
export interface Cancel {
  readonly type: "cancel"
}

/**
 * A person's answer to a permission question. The first one wins. `reason` reaches the model with a denial.
 *
 * `save` is where the `rule` of an `always` is kept; it counts for the session in any case.
 */
export interface Answer {
  readonly type: "answer"
  readonly ask_id: string
  readonly decision: "allow" | "always" | "deny"
  readonly rule?: string | null
  readonly reason?: string
  readonly save?: "project" | "session" | "user"
}

export interface SetMode {
  readonly type: "set_mode"
  readonly mode: "auto" | "default" | "plan"
}

/**
 * Something the model is to know from its next step on, such as what a command of the person's own printed.
 *
 * It starts no turn. It is kept at once, or in a running turn before the next step.
 */
export interface Note {
  readonly type: "note"
  readonly text: string
  readonly source?: "background" | "command" | "inbox" | "reminder" | "schedule" | "user"
}

/**
 * Take a message back that waits for a running turn. Too late for one that has entered the conversation.
 */
export interface Recall {
  readonly type: "recall"
  readonly client_id: string
}

/**
 * Give the session a title; an empty one brings back the first words said.
 */
export interface Rename {
  readonly type: "rename"
  readonly title: string
}

/**
 * Compact the conversation now, between turns. `focus` is what the summary should keep above all.
 */
export interface Compact {
  readonly type: "compact"
  readonly focus?: string
}

/**
 * Begin anew in the same session, between turns: without the conversation, the counted tokens, the to-do list.
 */
export interface Clear {
  readonly type: "clear"
  readonly conversation?: boolean
  readonly usage?: boolean
  readonly todos?: boolean
}

/**
 * Take back the message with `seq` number `to` and everything since, between turns.
 *
 * With `files`, what the edit tools have changed since is put back too, except in files that somebody else has
 * changed afterwards.
 */
export interface Rewind {
  readonly type: "rewind"
  readonly to: number
  readonly files?: boolean
}

export type Event = SessionCreated | SessionUpdated | SessionDeleted | UserMessage | AssistantStart | AssistantDelta | AssistantEnd | ThinkingStart | ThinkingDelta | ThinkingEnd | ToolUse | ToolStart | ToolProgress | ToolEnd | ToolDenied | Phase | LlmStart | LlmRetry | LlmFallback | LlmEnd | UsageEvent | Status | Notice | ErrorEvent | PermissionAsk | PermissionResolved | MessageQueued | MessageRecalled | Cleared | Rewound | CronFire | CronAutoRunStart | CronAutoRunDone | CronAutoRunError | Compacted | ResultsDropped | MemorySaved | RoundEnd

export type Command = Say | Cancel | Answer | SetMode | Note | Recall | Rename | Compact | Clear | Rewind
