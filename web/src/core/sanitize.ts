/** The last look at HTML before it becomes part of the page: only what Markdown makes, nothing that acts. */
import DOMPurify from 'dompurify'
import { isSafeLink } from './markdown'

const TAGS = 'a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong sub sup table tbody td th thead tr ul'
const ATTRIBUTES = ['href', 'rel', 'target', 'class', 'start', 'data-language', 'data-math', 'tabindex']
const CLASSES = new Set(['math', 'code', 'table', 'picture'])

const purify = DOMPurify(window)
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.hasAttribute('href') && !isSafeLink(node.getAttribute('href') ?? '')) node.removeAttribute('href')
  if (node.nodeName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer nofollow')
    node.setAttribute('target', '_blank')
  }
  const own = [...node.classList].filter((name) => CLASSES.has(name))
  if (own.length) node.setAttribute('class', own.join(' '))
  else node.removeAttribute('class')
  if (node.hasAttribute('tabindex')) node.setAttribute('tabindex', '0')
})

export function sanitized(html: string): DocumentFragment {
  return purify.sanitize(html, {
    ALLOWED_TAGS: TAGS.split(' '),
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
}
