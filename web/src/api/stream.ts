/**
 * One stream of events, for as long as the page lives: it comes back after a lost connection, a sleep, a new server.
 *
 * One connection is all a tab has: browsers allow six to a host. So the stream of everything carries the open session too.
 */
import { backOff, EventParser, type ServerEvent } from '@/core/sse'
import { ApiError, failure } from './http'

export type LinkState = 'connecting' | 'open' | 'lost' | 'refused'

export interface StreamHost {
  /** The address now, and the id of the last event that was taken. */
  request(): { url: string; lastEventId: string | null }
  onEvent(event: ServerEvent): void
  onState(state: LinkState): void
  /** A connection stands; what was missed before the first event of it comes first. */
  onOpen(): void
}

/** Without a word for this long, a connection is taken for dead: three heartbeats. */
const SILENCE_MS = 45_000

export class EventStream {
  private attempt = 0
  private current: AbortController | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private watchdog: ReturnType<typeof setTimeout> | undefined
  private stopped = true

  constructor(private readonly host: StreamHost) {}

  start(): void {
    this.stopped = false
    this.connect()
  }

  stop(): void {
    this.stopped = true
    this.drop()
  }

  /** Connect anew at once: what is open has changed, or the network is back. */
  restart(): void {
    if (this.stopped) return
    this.attempt = 0
    this.drop()
    this.connect()
  }

  private drop(): void {
    clearTimeout(this.timer)
    clearTimeout(this.watchdog)
    this.current?.abort()
    this.current = null
  }

  private connect(): void {
    const mine = new AbortController()
    this.current = mine
    this.host.onState('connecting')
    this.read(mine).then(
      () => this.again(mine),
      (error: unknown) => {
        if (this.current !== mine) return
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) this.host.onState('refused')
        else this.again(mine)
      },
    )
  }

  private again(mine: AbortController): void {
    if (this.current !== mine || this.stopped) return
    this.host.onState('lost')
    this.timer = setTimeout(() => {
      this.drop()
      this.connect()
    }, backOff(this.attempt++))
  }

  private async read(mine: AbortController): Promise<void> {
    const { url, lastEventId } = this.host.request()
    const headers: Record<string, string> = { Accept: 'text/event-stream' }
    if (lastEventId) headers['Last-Event-ID'] = lastEventId
    this.watch(mine)
    const response = await fetch(url, { headers, signal: mine.signal, credentials: 'same-origin', cache: 'no-store' })
    if (!response.ok || !response.body) throw await failure(response)
    if (this.current !== mine) return
    this.attempt = 0
    this.host.onState('open')
    this.host.onOpen()
    const parser = new EventParser()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done || this.current !== mine) return
      this.watch(mine)
      for (const event of parser.push(value)) this.host.onEvent(event)
    }
  }

  private watch(mine: AbortController): void {
    clearTimeout(this.watchdog)
    this.watchdog = setTimeout(() => {
      mine.abort()
    }, SILENCE_MS)
  }
}
