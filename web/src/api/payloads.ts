/** What the routes take and give, beside the events and commands of the contract. */
import type { Event, PermissionAsk } from '@/generated/contract'
import type { Mode } from '@/core/conversation'

export type SessionState = 'idle' | 'running' | 'asking'

export interface SessionInfo {
  readonly id: string
  readonly title: string
  readonly workdir: string
  readonly created_at: number
  readonly updated_at: number
  readonly turns: number
  readonly model: string
  readonly mode?: Mode
  readonly state?: SessionState
  readonly pinned?: boolean
  /** Another process writes it; here it can only be watched. */
  readonly read_only?: boolean
}

/** A part of a session's journal. `before` is the cursor for the part before it, null at the start. */
export interface MessagePage {
  readonly events: readonly Event[]
  readonly before: number | null
  readonly session?: SessionInfo
}

export type SendReply =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'queued' }
  | ({ readonly kind: 'slash' } & SlashReply)

export interface SlashReply {
  readonly markdown?: string
  readonly level?: 'info' | 'error'
  readonly effect?: SlashEffect | null
}

export interface SlashEffect {
  readonly type: string
  readonly session_id?: string | null
  readonly lang?: 'en' | 'zh'
  readonly theme?: Theme
  readonly text?: string
  readonly seq?: number
}

export type Theme = 'auto' | 'dark' | 'light'

export interface SlashCommand {
  readonly name: string
  readonly usage: string
  readonly about: string
  readonly takes_argument: boolean
  readonly choices?: readonly string[] | null
}

export interface SearchHit {
  readonly session: SessionInfo
  /** Where it was found: a piece of text around it. */
  readonly snippet: string
}

export interface DirectoryList {
  readonly path: string
  readonly parent: string | null
  readonly directories: readonly string[]
}

export interface ModelInfo {
  readonly name: string
  readonly note?: string
}

export interface ModelTest {
  readonly ok: boolean
  readonly model: string
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[]
}

export interface UsageRow {
  readonly name: string
  readonly input: number
  readonly output: number
  readonly cost_usd: number | null
}

export interface UsageSummary {
  readonly days: readonly UsageRow[]
  readonly models: readonly UsageRow[]
  readonly sessions: readonly (UsageRow & { readonly id: string })[]
}

export interface FileInfo {
  readonly name: string
  readonly size: number
  readonly updated_at: number
}

export interface FileText {
  readonly name: string
  readonly content: string
}

export interface NoteHit {
  readonly file: string
  readonly line: number
  readonly text: string
}

export interface Upload {
  readonly id: string
  readonly name: string
  readonly media_type: string
  readonly size: number
}

/** Settings by their dotted name. A key is never given, only whether there is one. */
export interface SettingsInfo {
  readonly values: Readonly<Record<string, unknown>>
  readonly workdir: string
  readonly version: string
}

export interface PendingAsks {
  readonly asks: readonly PermissionAsk[]
}
