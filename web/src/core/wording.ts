/** Events in the person's words: the program's own texts by id, where the event's English is not what they read. */
import type { ErrorEvent, LlmFallback, LlmRetry, Notice, Status, ToolDenied, Why } from '@/generated/contract'
import { oneLine } from './visible'

export type Lang = 'en' | 'zh'

/** Texts by id, with fields in braces. */
export interface Wording {
  readonly lang: Lang
  readonly texts: Readonly<Record<string, string>>
}

const TELLING = ['command', 'path', 'pattern', 'url', 'query', 'prompt', 'subject', 'name', 'expression', 'content']

/** The argument that says most about a call, on one line. */
export function telling(input: Readonly<Record<string, unknown>>, limit = 160): string {
  for (const key of TELLING) {
    const value = input[key]
    if (typeof value === 'string') return oneLine(value, limit)
  }
  return Object.keys(input).length ? oneLine(JSON.stringify(input), limit) : ''
}

export function errorText(event: ErrorEvent, words: Wording): string {
  const english = event.hint ? `${event.message.replace(/\.\s*$/, '')}. ${event.hint}` : event.message
  if (words.lang === 'en') return oneLine(english)
  const said = event.code ? spoken(words, event.code, event.values ?? {}) : null
  if (said !== null) return oneLine(said)
  const known = event.kind ? words.texts[`failure.${event.kind}`] : undefined
  return known === undefined ? oneLine(english) : oneLine(withDetail(words, known, event.detail))
}

export function retryText(event: LlmRetry | LlmFallback, words: Wording): string {
  if (words.lang === 'en') return oneLine(event.message)
  const known = event.type === 'llm_retry' ? words.texts[`retry.${event.kind}`] : undefined
  return known === undefined ? oneLine(event.detail ?? event.message) : oneLine(withDetail(words, known, event.detail))
}

export function noticeText(event: Notice | Status, words: Wording): string {
  if (words.lang === 'en' || !event.code) return oneLine(event.text)
  const values = event.values ?? {}
  return oneLine(spoken(words, event.code, values) ?? spoken(words, `notice.${event.code}`, values) ?? event.text)
}

/** A reason of permissions, in parts: the part in `about` is what it is about, to be marked. */
export function reasonParts(reason: string, why: Why | null | undefined, words: Wording): { text: string; about: boolean }[] {
  const pattern = why ? words.texts[`reason.${why.id}`] : undefined
  if (!why || pattern === undefined) return [{ text: reason, about: false }]
  const [before = '', after = ''] = pattern.split('{}')
  const all = [
    { text: before, about: false },
    { text: pattern.includes('{}') ? (why.about ?? '') : '', about: true },
    { text: after, about: false },
  ]
  return all.filter((part) => part.text !== '')
}

export function denialText(event: Pick<ToolDenied, 'reason' | 'source' | 'why'>, words: Wording): string {
  if (words.lang === 'en') return event.reason
  if (event.source === 'timeout') return words.texts['denied.timeout'] ?? event.reason
  if (event.source === 'hook') return spoken(words, 'denied.hook', { reason: event.reason }) ?? event.reason
  return reasonParts(event.reason, event.why, words)
    .map((part) => part.text)
    .join('')
}

/** A text with its fields filled in; a field may be a text itself, given as `NAME.key` and `NAME.FIELD`. */
export function spoken(words: Wording, key: string, values: Readonly<Record<string, string>>): string | null {
  const pattern = words.texts[key]
  if (pattern === undefined) return null
  return pattern.replace(/\{(\w+)(?::[^}]*)?\}/g, (whole, name: string) => {
    const inner = values[`${name}.key`]
    if (inner !== undefined) {
      const prefix = `${name}.`
      const own = Object.entries(values)
        .filter(([field]) => field.startsWith(prefix) && field !== `${name}.key`)
        .map(([field, value]) => [field.slice(prefix.length), value] as const)
      return spoken(words, inner, Object.fromEntries(own)) ?? inner
    }
    return values[name] ?? whole
  })
}

function withDetail(words: Wording, text: string, detail: string | undefined): string {
  return detail ? (spoken(words, 'failure.with_detail', { text, detail }) ?? text) : text
}
