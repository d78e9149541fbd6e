/** Conversations that were opened in this tab, each a fold over its events; and what the person does in them. */
import { defineStore } from 'pinia'
import { reactive, ref } from 'vue'
import { api } from '@/api/client'
import { ApiError } from '@/api/http'
import type { SlashReply } from '@/api/payloads'
import { applyEvent, emptyConversation, fold, prepend, type Ask, type Conversation } from '@/core/conversation'
import type { Event } from '@/generated/contract'

export interface Unsent {
  readonly clientId: string
  readonly text: string
  readonly uploads: readonly string[]
  failed: string | null
}

export interface Talk {
  readonly sid: string
  conversation: Conversation
  state: 'loading' | 'ready' | 'failed' | 'missing'
  problem: string
  /** The cursor for what is before, null where that is all. */
  before: number | null
  loadingEarlier: boolean
  unsent: Unsent[]
  /** What commands answered, for now. */
  replies: { readonly id: number; readonly line: string; readonly markdown: string; readonly level: 'info' | 'error' }[]
}

export const useTalks = defineStore('talks', () => {
  const open = ref(new Map<string, Talk>())
  const loading = new Map<string, Promise<void>>()
  /** What came while a session was read. */
  const waiting = new Map<string, Event[]>()
  let replyCount = 0

  /** The conversation of a session; it begins to be read if it is not there. */
  function talk(sid: string): Talk {
    let found = open.value.get(sid)
    if (!found) {
      found = reactive<Talk>({
        sid,
        conversation: emptyConversation(),
        state: 'loading',
        problem: '',
        before: null,
        loadingEarlier: false,
        unsent: [],
        replies: [],
      })
      open.value.set(sid, found)
      void load(sid)
    }
    return found
  }

  /** Read the session anew, from its journal. What comes while this goes on is taken after it. */
  function load(sid: string): Promise<void> {
    const running = loading.get(sid)
    if (running) return running
    waiting.set(sid, [])
    const mine = reload(sid).finally(() => {
      loading.delete(sid)
      const came = waiting.get(sid) ?? []
      waiting.delete(sid)
      for (const event of came) take(sid, event)
    })
    loading.set(sid, mine)
    return mine
  }

  async function reload(sid: string): Promise<void> {
    const mine = talk(sid)
    try {
      const page = await api.messages(sid, null)
      const fresh = fold(page.events)
      fresh.queue = mine.conversation.queue
      if (page.session) {
        fresh.busy = (page.session.state ?? 'idle') !== 'idle'
        fresh.mode ??= page.session.mode ?? null
        fresh.model ??= page.session.model
        fresh.title ??= page.session.title
      }
      if (fresh.asks.length || fresh.busy) {
        const { asks } = await api.pendingAsks(sid)
        const deadline = (ask: (typeof asks)[number]): number => (ask.ts ?? Date.now() / 1000) + (ask.timeout_sec ?? 180)
        fresh.asks = asks.map((ask): Ask => ({ ...ask, deadline: deadline(ask) }))
      } else fresh.queue = []
      mine.conversation = fresh
      mine.before = page.before
      mine.state = 'ready'
      mine.unsent = mine.unsent.filter((each) => each.failed !== null)
    } catch (error) {
      mine.problem = error instanceof ApiError ? error.message : String(error)
      if (mine.state !== 'ready') mine.state = error instanceof ApiError && error.status === 404 ? 'missing' : 'failed'
    }
  }

  async function earlier(sid: string): Promise<void> {
    const mine = open.value.get(sid)
    if (!mine || mine.before === null || mine.loadingEarlier) return
    mine.loadingEarlier = true
    try {
      const page = await api.messages(sid, mine.before)
      prepend(mine.conversation, page.events)
      mine.before = page.before
    } finally {
      mine.loadingEarlier = false
    }
  }

  function take(sid: string, event: Event): void {
    const mine = open.value.get(sid)
    if (!mine) return
    const later = waiting.get(sid)
    if (later) {
      later.push(event)
      return
    }
    if (mine.state !== 'ready') return
    if (event.type === 'user_message' && event.client_id) mine.unsent = mine.unsent.filter((each) => each.clientId !== event.client_id)
    if (event.type === 'message_queued') mine.unsent = mine.unsent.filter((each) => each.clientId !== event.client_id)
    if (applyEvent(mine.conversation, event) === 'gap') void load(sid)
  }

  async function send(sid: string, text: string, uploads: readonly string[] = []): Promise<SlashReply | null> {
    const unsent: Unsent = reactive({ clientId: crypto.randomUUID(), text, uploads, failed: null })
    talk(sid).unsent.push(unsent)
    return deliver(sid, unsent)
  }

  async function deliver(sid: string, unsent: Unsent): Promise<SlashReply | null> {
    const mine = talk(sid)
    unsent.failed = null
    try {
      const reply = await api.send(sid, unsent.text, unsent.clientId, unsent.uploads)
      if (reply.kind === 'accepted') mine.conversation.busy = true
      if (reply.kind === 'slash') {
        forget(sid, unsent)
        answered(sid, unsent.text, reply)
        return reply
      }
    } catch (error) {
      unsent.failed = error instanceof ApiError ? error.message : String(error)
      throw error
    }
    return null
  }

  function forget(sid: string, unsent: Unsent): void {
    const mine = talk(sid)
    mine.unsent = mine.unsent.filter((each) => each.clientId !== unsent.clientId)
  }

  async function slash(sid: string, line: string): Promise<SlashReply> {
    const reply = await api.slash(sid, line)
    answered(sid, line, reply)
    return reply
  }

  function answered(sid: string, line: string, reply: SlashReply): void {
    if (!reply.markdown) return
    talk(sid).replies.push({ id: ++replyCount, line, markdown: reply.markdown, level: reply.level ?? 'info' })
  }

  function dismissReply(sid: string, id: number): void {
    const mine = talk(sid)
    mine.replies = mine.replies.filter((each) => each.id !== id)
  }

  async function answer(sid: string, ask: Ask, how: { decision: 'allow' | 'deny' | 'always'; rule?: string; save?: 'session' | 'project' | 'user'; reason?: string }): Promise<void> {
    await api.answer(sid, { ask_id: ask.ask_id, ...how })
    const mine = open.value.get(sid)
    if (mine) mine.conversation.asks = mine.conversation.asks.filter((each) => each.ask_id !== ask.ask_id)
  }

  function forgetTalk(sid: string): void {
    open.value.delete(sid)
  }

  return { open, talk, load, earlier, take, send, deliver, forget, slash, dismissReply, answer, forgetTalk }
})
