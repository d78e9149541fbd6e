/** Server-sent events as they come in pieces (WHATWG HTML, 9.2.6). Pure. */

export interface ServerEvent {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

/** Feed it text in any pieces; it gives the events that are complete. */
export class EventParser {
  private rest = ''
  private id: string | null = null
  private event = ''
  private data: string[] = []

  push(text: string): ServerEvent[] {
    const found: ServerEvent[] = []
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/)
    this.rest = lines.pop() ?? ''
    for (const line of lines) {
      const event = this.line(line)
      if (event) found.push(event)
    }
    return found
  }

  private line(line: string): ServerEvent | null {
    if (line === '') {
      const done = this.data.length
        ? { id: this.id, event: this.event || 'message', data: this.data.join('\n') }
        : null
      this.data = []
      this.event = ''
      return done
    }
    const at = line.indexOf(':')
    const field = at < 0 ? line : line.slice(0, at)
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (field === 'data') this.data.push(value)
    else if (field === 'event') this.event = value
    else if (field === 'id' && !value.includes('\0')) this.id = value
    return null
  }
}

/** Milliseconds before the nth attempt in a row, the first being 0: doubling to 15 s, spread by a quarter either way. */
export function backOff(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(15_000, 400 * 2 ** attempt)
  return Math.round(base * (0.75 + random() / 2))
}
