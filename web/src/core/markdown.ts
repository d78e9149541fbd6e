/**
 * A model's Markdown as HTML that can do nothing: no HTML of its own, links to the web and to mail only, no pictures
 * from elsewhere. What this makes still has to pass `sanitize`: two locks on one door.
 */
import MarkdownIt from 'markdown-it'
import { mathPlugin } from './math'
import { visible } from './visible'

const LINK = /^(?:https?:\/\/|mailto:)[^\s]/i

export function isSafeLink(url: string): boolean {
  return LINK.test(url.trim())
}

/** `words` are texts of the page's own. */
export function makeMarkdown(words: { readonly picture: string }): (text: string) => string {
  const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false })
  markdown.use(mathPlugin)
  markdown.validateLink = isSafeLink
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  const escape = markdown.utils.escapeHtml
  markdown.renderer.rules.fence = (tokens, at) => {
    const token = tokens[at]
    const language = /^[\w+#.-]{1,30}/.exec(token?.info.trim() ?? '')?.[0] ?? ''
    return codeBlock(token?.content ?? '', language)
  }
  markdown.renderer.rules.code_block = (tokens, at) => codeBlock(tokens[at]?.content ?? '', '')
  markdown.renderer.rules.image = (tokens, at) => {
    const token = tokens[at]
    const url = token?.attrGet('src') ?? ''
    const label = escape(`${words.picture}: ${token?.content || url}`)
    return isSafeLink(url) ? `<a class="picture" href="${escape(url)}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>` : label
  }
  markdown.renderer.rules.link_open = (tokens, at, options, _env, self) => {
    const token = tokens[at]
    token?.attrSet('rel', 'noopener noreferrer nofollow')
    token?.attrSet('target', '_blank')
    return self.renderToken(tokens, at, options)
  }
  markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
  markdown.renderer.rules.table_close = () => '</table></div>\n'

  function codeBlock(code: string, language: string): string {
    const shown = escape(code.replace(/\n$/, ''))
    return `<pre class="code" data-language="${escape(language)}" tabindex="0"><code>${shown}</code></pre>\n`
  }
  return (text) => markdown.render(visible(text))
}

/**
 * Where a text that still grows can be cut, so that what is before needs no second look: before its last top-level block.
 * A fence, a formula or a list that is still open is one block.
 */
export function settledLength(text: string): number {
  let settled = 0
  let fence: string | null = null
  let at = 0
  let blank = true
  for (const line of text.split('\n')) {
    const start = at
    at += line.length + 1
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence) {
      if (mark && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark) fence = null
      continue
    }
    // Only a line that begins at the margin, after an empty one, surely begins something new.
    if (blank && /^\S/.test(line) && !/^(?:[-*+]|\d+[.)])(?:\s|$)|^>|^\||^\[/.test(line)) settled = start
    if (mark) fence = mark
    else if (/^(?:\$\$|\\\[)\s*$/.test(line.trim())) fence = null
    blank = line.trim() === ''
  }
  return settled
}
