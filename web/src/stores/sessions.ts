/** The sessions there are: listed, grouped, searched, changed. */
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { api } from '@/api/client'
import type { SearchHit, SessionInfo, SessionState } from '@/api/payloads'
import type { Event } from '@/generated/contract'
import { kept } from './kept'

export interface Group {
  readonly workdir: string
  readonly name: string
  readonly sessions: readonly SessionInfo[]
}

export const useSessions = defineStore('sessions', () => {
  const byId = ref(new Map<string, SessionInfo>())
  const loaded = ref(false)
  const failed = ref(false)
  const collapsed = kept<string[]>('collapsed', [])
  const unread = kept<string[]>('unread', [])
  const query = ref('')
  const hits = ref<SearchHit[] | null>(null)
  let searching: AbortController | null = null

  const all = computed(() => [...byId.value.values()].sort((a, b) => Number(b.pinned ?? false) - Number(a.pinned ?? false) || b.updated_at - a.updated_at))
  const groups = computed<Group[]>(() => {
    const found = new Map<string, SessionInfo[]>()
    for (const session of all.value) found.set(session.workdir, [...(found.get(session.workdir) ?? []), session])
    return [...found].map(([workdir, sessions]) => ({ workdir, name: lastPart(workdir), sessions }))
  })

  async function load(): Promise<void> {
    try {
      const { sessions } = await api.sessions()
      byId.value = new Map(sessions.map((session) => [session.id, session]))
      failed.value = false
    } catch (error) {
      failed.value = true
      throw error
    } finally {
      loaded.value = true
    }
  }

  function put(session: SessionInfo): void {
    byId.value.set(session.id, { ...byId.value.get(session.id), ...session })
  }

  function patch(sid: string, change: Partial<SessionInfo>): void {
    const known = byId.value.get(sid)
    if (known) byId.value.set(sid, { ...known, ...change })
  }

  async function create(workdir: string | null): Promise<SessionInfo> {
    const session = await api.createSession(workdir)
    put(session)
    return session
  }

  async function change(sid: string, how: Partial<Pick<SessionInfo, 'title' | 'pinned' | 'mode' | 'model'>>): Promise<void> {
    const before = byId.value.get(sid)
    patch(sid, how)
    try {
      put(await api.changeSession(sid, how))
    } catch (error) {
      if (before) byId.value.set(sid, before)
      throw error
    }
  }

  async function remove(sid: string): Promise<void> {
    const before = byId.value.get(sid)
    byId.value.delete(sid)
    try {
      await api.deleteSession(sid)
    } catch (error) {
      if (before) byId.value.set(sid, before)
      throw error
    }
  }

  async function restore(sid: string): Promise<void> {
    put(await api.restoreSession(sid))
  }

  async function fork(sid: string): Promise<SessionInfo> {
    const session = await api.forkSession(sid)
    put(session)
    return session
  }

  async function search(words: string): Promise<void> {
    query.value = words
    searching?.abort()
    if (!words.trim()) {
      hits.value = null
      return
    }
    searching = new AbortController()
    const mine = searching
    try {
      const found = await api.searchSessions(words.trim(), mine.signal)
      if (searching === mine) hits.value = found.hits
    } catch {
      if (searching === mine) hits.value = []
    }
  }

  /** What the stream of everything says about any session. `open` is the one that is looked at. */
  function take(sid: string, event: Event, open: string | null): void {
    if (event.type === 'session_deleted') {
      byId.value.delete(sid)
      return
    }
    const known = byId.value.get(sid)
    if (!known) {
      if (event.type === 'session_created' || event.type === 'user_message') {
        void api.session(sid).then(put, () => undefined)
      }
      return
    }
    const state = stateAfter(event)
    if (state && state !== known.state) patch(sid, { state })
    if (event.type === 'session_updated') {
      patch(sid, {
        ...(event.title == null ? {} : { title: event.title }),
        ...(event.mode == null ? {} : { mode: event.mode }),
        ...(event.model == null ? {} : { model: event.model }),
      })
    }
    if (event.type === 'user_message') {
      const title = known.title || event.text.split('\n')[0]?.slice(0, 60) || ''
      patch(sid, { title, updated_at: event.ts ?? Date.now() / 1000, turns: known.turns + 1 })
    }
    if (event.type === 'round_end' && (sid !== open || document.hidden)) mark(sid)
  }

  function mark(sid: string): void {
    if (!unread.value.includes(sid)) unread.value = [...unread.value.slice(-200), sid]
  }

  function seen(sid: string): void {
    if (unread.value.includes(sid)) unread.value = unread.value.filter((each) => each !== sid)
  }

  function toggle(workdir: string): void {
    collapsed.value = collapsed.value.includes(workdir)
      ? collapsed.value.filter((each) => each !== workdir)
      : [...collapsed.value, workdir]
  }

  return { byId, all, groups, loaded, failed, collapsed, unread, query, hits, load, put, patch, create, change, remove, restore, fork, search, take, seen, toggle }
})

function stateAfter(event: Event): SessionState | null {
  switch (event.type) {
    case 'permission_ask':
      return 'asking'
    case 'round_end':
      return 'idle'
    case 'user_message':
    case 'llm_start':
    case 'tool_start':
    case 'permission_resolved':
      return 'running'
    case 'phase':
      return event.state === 'idle' ? 'idle' : event.state === 'asking' ? 'asking' : 'running'
    default:
      return null
  }
}

export function lastPart(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path
}
