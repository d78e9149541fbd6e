/**
 * Formulas in Markdown: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. Prices such as "$5 and $10" are none.
 *
 * A formula becomes an element with the TeX in it; what draws it comes later, if it is needed.
 */
import type MarkdownIt from 'markdown-it'
import type { RuleBlock } from 'markdown-it/lib/parser_block.mjs'
import type { RuleInline } from 'markdown-it/lib/parser_inline.mjs'

export function mathPlugin(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('escape', 'math', inlineMath)
  markdown.block.ruler.before('fence', 'math', blockMath, { alt: ['paragraph', 'blockquote', 'list'] })
  const draw = (tex: string, block: boolean): string => {
    const escaped = markdown.utils.escapeHtml(tex)
    return block ? `<div class="math" data-math="block">${escaped}</div>\n` : `<span class="math" data-math="inline">${escaped}</span>`
  }
  markdown.renderer.rules['math_inline'] = (tokens, at) => draw(tokens[at]?.content ?? '', false)
  markdown.renderer.rules['math_block'] = (tokens, at) => draw(tokens[at]?.content ?? '', true)
}

const inlineMath: RuleInline = (state, silent) => {
  const found = formulaAt(state.src, state.pos, state.posMax)
  if (!found) return false
  if (!silent) {
    const token = state.push(found.block ? 'math_block' : 'math_inline', 'math', 0)
    token.content = found.tex
  }
  state.pos = found.end
  return true
}

interface Formula {
  readonly tex: string
  readonly end: number
  readonly block: boolean
}

const PAIRS = [
  ['\\(', '\\)', false],
  ['\\[', '\\]', true],
  ['$$', '$$', true],
] as const

export function formulaAt(text: string, at: number, end = text.length): Formula | null {
  for (const [open, close, block] of PAIRS) {
    if (!text.startsWith(open, at)) continue
    const to = text.indexOf(close, at + open.length)
    if (to < 0 || to + close.length > end) return null
    const tex = text.slice(at + open.length, to).trim()
    return tex ? { tex, end: to + close.length, block } : null
  }
  return dollars(text, at, end)
}

/** As in Pandoc: no space inside the dollars, no digit behind them; and what is plainly a sum of money is none. */
function dollars(text: string, at: number, end: number): Formula | null {
  if (text[at] !== '$' || /[\s$]/.test(text[at + 1] ?? ' ') || /[\w$]/.test(text[at - 1] ?? ' ')) return null
  for (let to = at + 1; to < end; to++) {
    const char = text[to]
    if (char === '\n' && text[to + 1] === '\n') return null
    if (char === '\\') to++
    else if (char === '$') {
      const tex = text.slice(at + 1, to)
      if (/\s$/.test(tex) || /[\d\w]/.test(text[to + 1] ?? '')) return null
      return isPrice(tex) ? null : { tex, end: to + 1, block: false }
    }
  }
  return null
}

/** "5", "1,000.50", "5 and", "10/month -": money, perhaps with words; a formula has a letter alone or an operator. */
function isPrice(tex: string): boolean {
  if (/[\\^_{}=<>]/.test(tex)) return false
  return /^[\d.,]+\s*(?:[kKmMbB]|USD|million|billion)?(?:[\s,;:.)(/–—-].*)?$/.test(tex) && !/^\d+\s*[-+*/]\s*\d*[a-z]\b/.test(tex)
}

const blockMath: RuleBlock = (state, startLine, endLine, silent) => {
  const from = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
  const first = state.src.slice(from, state.eMarks[startLine])
  const close = first.startsWith('$$') ? '$$' : first.startsWith('\\[') ? '\\]' : null
  if (!close || first.slice(2).includes(close)) return false
  for (let line = startLine + 1; line < endLine; line++) {
    const text = state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
    if (text.trim() === '' && close === '$$' && line === startLine + 1) return false
    if (!text.trimEnd().endsWith(close)) continue
    if (silent) return true
    const token = state.push('math_block', 'math', 0)
    token.block = true
    token.content = state.getLines(startLine, line + 1, state.tShift[startLine] ?? 0, false).trim().slice(2, -2).trim()
    token.map = [startLine, line + 1]
    state.line = line + 1
    return true
  }
  return false
}
