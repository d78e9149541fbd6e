/** Characters that hide or steer text, made visible. The same rule as the program's own `wording.plain`. */

// Controls but tab and newline; soft hyphen and other format characters, fillers, tags and private use; lone surrogates.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ue000-\uf8ff]|[\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]|[\ud800-\udfff]/gu  

const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u
const JOINER = '\u200d'
const AS_EMOJI = '\ufe0f'
const KEYCAP = '\u20e3'

export interface Part {
  readonly text: string
  readonly hidden: boolean
}

/** The text in parts: what can be shown as it is, and names of hidden characters such as `\u202e`. */
export function parts(text: string): Part[] {
  const found: Part[] = []
  let from = 0
  for (const match of text.matchAll(HIDDEN)) {
    const char = match[0]
    if (isOfEmoji(text, match.index, char)) continue
    if (match.index > from) found.push({ text: text.slice(from, match.index), hidden: false })
    found.push({ text: nameOf(char), hidden: true })
    from = match.index + char.length
  }
  if (from < text.length) found.push({ text: text.slice(from), hidden: false })
  return found
}

export function visible(text: string): string {
  return parts(text)
    .map((part) => part.text)
    .join('')
}

export function oneLine(text: string, limit = 0): string {
  const line = visible(text.split(/\s+/u).filter(Boolean).join(' '))
  return limit && line.length > limit ? `${line.slice(0, limit - 1)}…` : line
}

function nameOf(char: string): string {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`
  return `\\U${code.toString(16).padStart(8, '0')}`
}

function isOfEmoji(text: string, at: number, char: string): boolean {
  if (char !== JOINER && char !== AS_EMOJI) return false
  const before = Array.from(text.slice(Math.max(0, at - 3), at)).at(-1) ?? ''
  const after = Array.from(text.slice(at + 1, at + 3))[0] ?? ''
  if (char === AS_EMOJI) return after === KEYCAP || EMOJI.test(before)
  return (EMOJI.test(before) || before === AS_EMOJI) && EMOJI.test(after)
}
