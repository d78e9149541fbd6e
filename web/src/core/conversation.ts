/**
 * A conversation as the page shows it: a fold over the session's events, live and from the journal alike.
 *
 * It knows no network and no screen. Numbered events may come twice (a replay); each counts once.
 */
import type {
  AssistantEnd,
  Compacted,
  CronAutoRunDone,
  CronAutoRunError,
  CronFire,
  ErrorEvent,
  Event,
  ImageBlock,
  LlmFallback,
  LlmRetry,
  MemorySaved,
  Notice,
  PermissionAsk,
  Phase,
  RoundEnd,
  Status,
  ToolDenied,
  ToolEnd,
  ToolUse,
  UsageEvent,
  UserMessage,
} from '@/generated/contract'

export type Input = Readonly<Record<string, unknown>>
export type Mode = 'default' | 'plan' | 'auto'
export type ToolState = 'waiting' | 'asking' | 'running' | 'done' | 'failed' | 'denied' | 'stopped'

interface Base {
  /** The same for the same thing, however often it is read. */
  readonly key: string
  readonly seq: number
  readonly ts: number
}

export interface UserItem extends Base {
  readonly kind: 'user'
  readonly text: string
  readonly images: readonly ImageBlock[]
  readonly source: NonNullable<UserMessage['source']>
}

export interface AnswerItem extends Base {
  readonly kind: 'answer'
  text: string
  streaming: boolean
  /** Its message has not ended: more may come, and a retry voids it. */
  open: boolean
  interrupted: boolean
  model: string
}

export interface ThinkingItem extends Base {
  readonly kind: 'thinking'
  text: string
  streaming: boolean
  open: boolean
  /** How long it took, where that was seen. */
  seconds: number | null
}

export interface ToolItem extends Base {
  readonly kind: 'tool'
  readonly id: string
  readonly name: string
  input: Input
  /** Its call was not read, only how it ended. */
  readonly orphan: boolean
  state: ToolState
  startedAt: number | null
  durationMs: number | null
  progress: string
  output: string
  error: string | null
  diff: string | null
  images: readonly ImageBlock[]
  denied: Pick<ToolDenied, 'reason' | 'source' | 'why' | 'rule'> | null
}

export type Remark = Notice | ErrorEvent | LlmRetry | LlmFallback | Compacted | MemorySaved | CronFire | CronAutoRunDone | CronAutoRunError

export interface RemarkItem extends Base {
  readonly kind: 'remark'
  readonly event: Remark
}

export interface RoundItem extends Base {
  readonly kind: 'round'
  readonly event: RoundEnd
}

export interface ClearedItem extends Base {
  readonly kind: 'cleared'
}

export type Item = UserItem | AnswerItem | ThinkingItem | ToolItem | RemarkItem | RoundItem | ClearedItem

export interface Ask extends PermissionAsk {
  /** When it is taken for a no, in seconds since 1970. */
  readonly deadline: number
}

export interface Queued {
  readonly text: string
  readonly clientId: string | null
}

export interface TodoEntry {
  readonly content: string
  readonly status: string
  readonly activeForm: string
}

export interface Conversation {
  items: Item[]
  lastSeq: number
  busy: boolean
  phase: { state: Phase['state']; label: string; since: number }
  /** What was called last and is over, for the phase line. */
  finished: { name: string; ms: number; ok: boolean } | null
  status: Status | null
  asks: Ask[]
  queue: Queued[]
  usage: UsageEvent | null
  title: string | null
  mode: Mode | null
  model: string | null
  /** Spans of `seq` that were taken back, for pages that are read later: from `to` up to `at`. */
  cuts: { to: number; at: number }[]
  todos: readonly TodoEntry[]
}

export function emptyConversation(): Conversation {
  return {
    items: [],
    lastSeq: 0,
    busy: false,
    phase: { state: 'idle', label: '', since: 0 },
    finished: null,
    status: null,
    asks: [],
    queue: [],
    usage: null,
    title: null,
    mode: null,
    model: null,
    cuts: [],
    todos: [],
  }
}

/** What became of an event: it counts, it was known, or events before it are missing. */
export type Applied = 'applied' | 'known' | 'gap'

/** Events that announce a numbered one, and carry its number. */
const PIECES = new Set(['assistant_start', 'assistant_delta', 'thinking_start', 'thinking_delta', 'thinking_end'])

export function applyEvent(talk: Conversation, event: Event): Applied {
  const seq = event.seq ?? null
  if (seq !== null) {
    if (seq <= talk.lastSeq) return 'known'
    if (!PIECES.has(event.type)) {
      if (talk.lastSeq > 0 && seq > talk.lastSeq + 1) return 'gap'
      talk.lastSeq = seq
    }
  }
  take(talk, event, seq ?? talk.lastSeq, event.ts ?? 0)
  return 'applied'
}

/** A conversation from events that follow one another. `known` may hold a part from the middle of a session. */
export function fold(events: readonly Event[]): Conversation {
  const talk = emptyConversation()
  for (const event of events) {
    if (applyEvent(talk, event) === 'gap') {
      talk.lastSeq = (event.seq ?? 1) - 1
      applyEvent(talk, event)
    }
  }
  return talk
}

/** Put an earlier part of the session before what is there. */
export function prepend(talk: Conversation, events: readonly Event[]): void {
  const earlier = fold(events)
  const isCut = (seq: number): boolean => talk.cuts.some((cut) => seq >= cut.to && seq < cut.at)
  const later = new Map<string, ToolItem>()
  for (const item of talk.items) if (item.kind === 'tool' && item.orphan) later.set(item.id, item)
  const merged = new Set<string>()
  const items = earlier.items.filter((item) => !isCut(item.seq))
  for (const item of items) {
    if (item.kind !== 'tool') continue
    const rest = later.get(item.id)
    if (rest) {
      Object.assign(item, { ...rest, key: item.key, seq: item.seq, ts: item.ts, input: item.input, orphan: false })
      merged.add(item.id)
    }
  }
  talk.items = [...items, ...talk.items.filter((item) => item.kind !== 'tool' || !item.orphan || !merged.has(item.id))]
  talk.usage ??= earlier.usage
  talk.title ??= earlier.title
  talk.cuts.push(...earlier.cuts)
}

function take(talk: Conversation, event: Event, seq: number, ts: number): void {
  switch (event.type) {
    case 'session_created':
      if (event.title) talk.title = event.title
      return
    case 'session_updated':
      talk.title = event.title ?? talk.title
      talk.mode = event.mode ?? talk.mode
      talk.model = event.model ?? talk.model
      return
    case 'user_message':
      takeUserMessage(talk, event, seq, ts)
      return
    case 'thinking_start':
    case 'thinking_delta':
    case 'thinking_end':
    case 'assistant_start':
    case 'assistant_delta':
      takePiece(talk, event, seq, ts)
      return
    case 'assistant_end':
      takeAnswer(talk, event, seq, ts)
      return
    case 'tool_use':
      talk.busy = true
      talk.items.push(toolItem(event, seq, ts))
      if (event.name === 'TodoWrite') talk.todos = todosOf(event.input)
      return
    case 'tool_start':
      change(talk, event.id, (tool) => {
        if (tool.state !== 'waiting' && tool.state !== 'asking') return
        tool.state = 'running'
        tool.startedAt = ts
      })
      return
    case 'tool_progress':
      change(talk, event.id, (tool) => {
        if (isOver(tool)) return
        tool.progress = `${tool.progress}${event.text}`.slice(-20_000)
        if (tool.state === 'waiting') tool.state = 'running'
      })
      return
    case 'tool_end':
      takeToolEnd(talk, event, seq, ts)
      return
    case 'tool_denied':
      takeDenied(talk, event, seq, ts)
      return
    case 'phase':
      if (event.state !== talk.phase.state || (event.label ?? '') !== talk.phase.label) {
        talk.phase = { state: event.state, label: event.label ?? '', since: ts }
      }
      if (event.state !== 'idle') talk.busy = true
      return
    case 'llm_start':
      talk.busy = true
      talk.finished = null
      return
    case 'llm_retry':
      if (event.superseded) dropPieces(talk)
      remark(talk, event, seq, ts)
      return
    case 'llm_end':
      return
    case 'usage':
      talk.usage = event
      return
    case 'status':
      talk.status = event.text ? event : null
      return
    case 'permission_ask':
      takeAsk(talk, event, ts)
      return
    case 'permission_resolved':
      talk.asks = talk.asks.filter((ask) => ask.ask_id !== event.ask_id)
      for (const tool of tools(talk)) if (tool.state === 'asking') tool.state = 'waiting'
      return
    case 'message_queued':
      if (!talk.queue.some((each) => each.clientId !== null && each.clientId === event.client_id)) {
        talk.queue.push({ text: event.text, clientId: event.client_id ?? null })
      }
      return
    case 'message_recalled':
      talk.queue = talk.queue.filter((each) => each.clientId !== event.client_id)
      return
    case 'cleared':
      if (event.todos) talk.todos = []
      if (event.usage) talk.usage = null
      if (event.conversation) talk.items.push({ kind: 'cleared', key: `c${seq}`, seq, ts })
      return
    case 'rewound':
      talk.cuts.push({ to: event.to, at: seq })
      talk.items = talk.items.filter((item) => item.seq < event.to)
      return
    case 'memory_saved':
      if (event.notes.length) remark(talk, event, seq, ts)
      return
    case 'notice':
    case 'error':
    case 'llm_fallback':
    case 'compacted':
    case 'cron_fire':
    case 'cron_auto_run_done':
    case 'cron_auto_run_error':
      remark(talk, event, seq, ts)
      return
    case 'round_end':
      takeRoundEnd(talk, event, seq, ts)
      return
    case 'session_deleted':
    case 'cron_auto_run_start':
    case 'results_dropped':
      return
  }
}

function takeUserMessage(talk: Conversation, event: UserMessage, seq: number, ts: number): void {
  talk.queue = talk.queue.filter((each) => each.clientId === null || each.clientId !== event.client_id)
  talk.busy = true
  talk.finished = null
  const source = event.source ?? 'user'
  if (!event.text.trim() && !event.images?.length) return
  talk.items.push({ kind: 'user', key: `u${seq}`, seq, ts, text: event.text, images: event.images ?? [], source })
}

type Piece = Extract<Event, { type: 'assistant_start' | 'assistant_delta' | 'thinking_start' | 'thinking_delta' | 'thinking_end' }>

function takePiece(talk: Conversation, event: Piece, seq: number, ts: number): void {
  talk.busy = true
  if (event.type.startsWith('thinking')) {
    const item = thinkingAt(talk, seq, ts)
    if (event.type === 'thinking_delta') item.text += event.text
    if (event.type === 'thinking_end') {
      item.streaming = false
      item.seconds = Math.max(0, ts - item.ts)
    }
    return
  }
  const item = answerAt(talk, seq, ts)
  if (event.type === 'assistant_delta') item.text += event.text
}

function takeAnswer(talk: Conversation, event: AssistantEnd, seq: number, ts: number): void {
  const thought = (event.content ?? [])
    .filter((block) => block.type === 'thinking')
    .map((block) => block.text ?? '')
    .join('\n\n')
  if (thought.trim()) {
    const item = thinkingAt(talk, seq, ts)
    item.text = thought
    item.streaming = false
  }
  if (event.text.trim() || openAnswer(talk)) {
    const item = answerAt(talk, seq, ts)
    item.text = event.text
    item.model = event.model ?? ''
    item.interrupted = event.interrupted ?? false
  }
  endPieces(talk)
}

function takeToolEnd(talk: Conversation, event: ToolEnd, seq: number, ts: number): void {
  const tool = toolOf(talk, event, seq, ts)
  tool.state = event.error == null ? 'done' : 'failed'
  tool.durationMs = event.duration_ms
  tool.output = event.output
  tool.error = event.error ?? null
  tool.diff = event.diff ?? null
  tool.images = event.images ?? []
  tool.progress = ''
  talk.finished = { name: event.name, ms: event.duration_ms, ok: tool.state === 'done' }
}

function takeDenied(talk: Conversation, event: ToolDenied, seq: number, ts: number): void {
  const tool = toolOf(talk, event, seq, ts)
  tool.state = 'denied'
  tool.input = event.input
  tool.denied = { reason: event.reason, source: event.source, why: event.why ?? null, rule: event.rule ?? null }
}

function takeAsk(talk: Conversation, event: PermissionAsk, ts: number): void {
  if (talk.asks.some((ask) => ask.ask_id === event.ask_id)) return
  talk.busy = true
  talk.asks.push({ ...event, deadline: (ts || Date.now() / 1000) + (event.timeout_sec ?? 180) })
  const asked = tools(talk).findLast((tool) => tool.name === event.tool_name && tool.state === 'waiting')
  if (asked) asked.state = 'asking'
}

function takeRoundEnd(talk: Conversation, event: RoundEnd, seq: number, ts: number): void {
  talk.busy = false
  talk.phase = { state: 'idle', label: '', since: ts }
  talk.status = null
  talk.asks = []
  endPieces(talk)
  for (const tool of tools(talk)) {
    if (tool.state === 'waiting' || tool.state === 'asking' || tool.state === 'running') tool.state = 'stopped'
  }
  talk.items.push({ kind: 'round', key: `r${seq}`, seq, ts, event })
}

function remark(talk: Conversation, event: Remark, seq: number, ts: number): void {
  const key = `n${seq}.${talk.items.length}`
  talk.items.push({ kind: 'remark', key, seq, ts, event })
}

function thinkingAt(talk: Conversation, seq: number, ts: number): ThinkingItem {
  const known = recent(talk).findLast((item) => item.kind === 'thinking' && item.open)
  if (known?.kind === 'thinking') return known
  const item: ThinkingItem = { kind: 'thinking', key: `t${seq}`, seq, ts, text: '', streaming: true, open: true, seconds: null }
  // Before the answer that it led to, also where only the answer was seen as it came.
  const answer = talk.items.findLastIndex((each) => each.kind === 'answer' && each.open)
  const at = answer < 0 ? talk.items.length : answer
  talk.items.splice(at, 0, item)
  return talk.items[at] as ThinkingItem
}

function answerAt(talk: Conversation, seq: number, ts: number): AnswerItem {
  const known = openAnswer(talk)
  if (known) return known
  talk.items.push({ kind: 'answer', key: `a${seq}`, seq, ts, text: '', streaming: true, open: true, interrupted: false, model: '' })
  return talk.items.at(-1) as AnswerItem
}

function openAnswer(talk: Conversation): AnswerItem | undefined {
  const known = recent(talk).findLast((item) => item.kind === 'answer' && item.open)
  return known?.kind === 'answer' ? known : undefined
}

function endPieces(talk: Conversation): void {
  for (const item of recent(talk)) if (item.kind === 'answer' || item.kind === 'thinking') item.streaming = item.open = false
}

function dropPieces(talk: Conversation): void {
  talk.items = talk.items.filter((item) => !((item.kind === 'answer' || item.kind === 'thinking') && item.open))
}

function recent(talk: Conversation): Item[] {
  return talk.items.slice(-200)
}

function tools(talk: Conversation): ToolItem[] {
  return recent(talk).filter((item) => item.kind === 'tool')
}

function isOver(tool: ToolItem): boolean {
  return tool.state === 'done' || tool.state === 'failed' || tool.state === 'denied' || tool.state === 'stopped'
}

function change(talk: Conversation, id: string, how: (tool: ToolItem) => void): void {
  const tool = tools(talk).findLast((each) => each.id === id)
  if (tool) how(tool)
}

/** The card of a call; one of its own where the call itself was not read. */
function toolOf(talk: Conversation, event: ToolEnd | ToolDenied, seq: number, ts: number): ToolItem {
  const known = tools(talk).findLast((tool) => tool.id === event.id)
  if (known) return known
  const input = event.type === 'tool_denied' ? event.input : {}
  talk.items.push(toolItem({ type: 'tool_use', id: event.id, name: event.name, input }, seq, ts, true))
  return talk.items.at(-1) as ToolItem
}

function toolItem(event: ToolUse, seq: number, ts: number, orphan = false): ToolItem {
  return {
    kind: 'tool',
    key: `x${seq}.${event.id}`,
    seq,
    ts,
    id: event.id,
    name: event.name,
    input: event.input,
    orphan,
    state: 'waiting',
    startedAt: null,
    durationMs: null,
    progress: '',
    output: '',
    error: null,
    diff: null,
    images: [],
    denied: null,
  }
}

export function todosOf(input: Input): TodoEntry[] {
  const items = input['items']
  if (!Array.isArray(items)) return []
  return items
    .filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null)
    .map((each) => ({
      content: text(each['content']),
      status: text(each['status']),
      activeForm: text(each['activeForm']),
    }))
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
