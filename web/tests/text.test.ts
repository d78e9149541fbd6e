import { describe, expect, it } from 'vitest'
import { ansiSpans } from '@/core/ansi'
import { numberedLines, parseDiff, searchHits } from '@/core/diff'
import { ranked } from '@/core/fuzzy'
import { formulaAt } from '@/core/math'
import { isSafeLink, makeMarkdown, settledLength } from '@/core/markdown'
import { backOff, EventParser } from '@/core/sse'
import { oneLine, parts, visible } from '@/core/visible'
import { denialText, errorText, reasonParts, spoken, telling } from '@/core/wording'
import zh from '@/generated/wording.zh.json'

const render = makeMarkdown({ picture: 'picture' })

describe('visible', () => {
  it('names what hides or steers', () => {
    expect(visible('a\u202eb\u0000\u200b\u{e0041}')).toBe('a\\u202eb\\x00\\u200b\\U000e0041')
    expect(parts('x\u202e')).toEqual([{ text: 'x', hidden: false }, { text: '\\u202e', hidden: true }])
  })
  it('leaves text and emoji alone', () => {
    for (const text of ['plain\n\ttext', '中文，标点。', '👩‍💻 ❤️ 1️⃣ 👍🏽 🇨🇳', 'é ñ ü']) expect(visible(text)).toBe(text)
  })
  it('makes one line', () => expect(oneLine(' a\n b\tc ', 4)).toBe('a b…'))
})

describe('markdown', () => {
  it('makes no HTML of the text', () => {
    expect(render('<b onclick=x>hi</b><script>1</script>')).toBe('<p>&lt;b onclick=x&gt;hi&lt;/b&gt;&lt;script&gt;1&lt;/script&gt;</p>\n')
  })
  it('links to the web and to mail only', () => {
    const links = ['https://a.b', 'http://a.b', 'mailto:a@b.c', 'javascript:alert(1)', 'data:text/html,x', 'file:///etc', '//a.b', '/x', ' JAVASCRIPT:x', 'vbscript:x']
    expect(links.filter(isSafeLink)).toEqual(links.slice(0, 3))
    expect(render('[x](javascript:alert(1))')).toBe('<p>[x](javascript:alert(1))</p>\n')
  })
  it('loads no pictures', () => {
    expect(render('![cat](https://evil.example/x.png)')).toBe(
      '<p><a class="picture" href="https://evil.example/x.png" rel="noopener noreferrer nofollow" target="_blank">picture: cat</a></p>\n',
    )
  })
  it('keeps code as it is', () => {
    expect(render('```py\na < b\n```')).toBe('<pre class="code" data-language="py" tabindex="0"><code>a &lt; b</code></pre>\n')
  })
  it('finds formulas', () => {
    const tex = (text: string): string[] => [...render(text).matchAll(/data-math="(\w+)">([^<]*)</g)].map((found) => `${found[1]}:${found[2]}`)
    expect(tex('so $x^2$ and \\(a+b\\).')).toEqual(['inline:x^2', 'inline:a+b'])
    expect(tex('$$\n\\frac12\n$$')).toEqual(['block:\\frac12'])
    expect(tex('\\[\ne = mc^2\n\\]')).toEqual(['block:e = mc^2'])
    expect(tex('$n$ of $k$')).toEqual(['inline:n', 'inline:k'])
    expect(tex('`$x$` and ```$y$```')).toEqual([])
  })
  it('leaves prices alone', () => {
    for (const text of ['$5 and $10', 'from $5 to $10.50, or $3', 'US$5 or $ 6 $', '$1,000 (was $2,000)', 'costs $20/month, $200/year', '$5-$10', '$HOME and $PATH']) {
      expect(formulas(text)).toEqual([])
    }
  })
  it('settles only what nothing can change', () => {
    expect(settledLength('one\n\ntwo')).toBe(5)
    expect(settledLength('one\n\n```\na\n\nb')).toBe(5)
    expect(settledLength('- a\n\n- b\n\n  c')).toBe(0)
  })
})

function formulas(text: string): string[] {
  return [...text].flatMap((_, at) => formulaAt(text, at)?.tex ?? [])
}

describe('server-sent events', () => {
  const stream = 'retry: 5\n\n: beat\n\nid: s:1\ndata: {"a":\ndata: 1}\r\n\r\nevent: resync\nid: s:2\ndata: x\n\ndata: half'
  const events = [
    { id: 's:1', event: 'message', data: '{"a":\n1}' },
    { id: 's:2', event: 'resync', data: 'x' },
  ]
  it('are the same in any pieces', () => {
    for (let size = 1; size < stream.length; size++) {
      const parser = new EventParser()
      const found = []
      for (let at = 0; at < stream.length; at += size) found.push(...parser.push(stream.slice(at, at + size)))
      expect(found).toEqual(events)
    }
  })
  it('are tried again later and later', () => {
    expect([0, 1, 3, 20].map((attempt) => backOff(attempt, () => 0.5))).toEqual([400, 800, 3200, 15_000])
  })
})

describe('tool output', () => {
  it('has the colours of a terminal', () => {
    expect(ansiSpans('\u001b[1;31mbad\u001b[0m ok\u001b]0;title\u0007\u001b[2K!')).toEqual([
      { text: 'bad', style: 'bold fg-1' },
      { text: ' ok', style: '' },
      { text: '!', style: '' },
    ])
    expect(ansiSpans('10%\r50%\rdone\r\nnext')).toEqual([{ text: 'done\nnext', style: '' }])
    expect(ansiSpans('\u001b[38;5;196mx\u001b[48;2;0;0;0my')).toEqual([
      { text: 'x', style: 'fg-1' },
      { text: 'y', style: 'fg-1 bg-0' },
    ])
  })
  it('is a diff with numbers', () => {
    expect(parseDiff('--- a\n+++ b\n@@ -3,2 +3,2 @@ def f\n x\n-y\n+z\n')).toEqual({
      added: 1,
      removed: 1,
      rows: [
        { kind: 'hunk', before: null, after: null, text: 'def f' },
        { kind: 'context', before: 3, after: 3, text: 'x' },
        { kind: 'removed', before: 4, after: null, text: 'y' },
        { kind: 'added', before: null, after: 4, text: 'z' },
      ],
    })
  })
  it('is lines, or hits', () => {
    expect(numberedLines('   1\ta\n   2\t\n')).toEqual([{ number: 1, text: 'a' }, { number: 2, text: '' }])
    expect(numberedLines('no lines')).toBeNull()
    expect([...(searchHits('a.py:3:x: y\na.py:9:z\nb:1:') ?? []).entries()].map(([path, hits]) => [path, hits.map((hit) => hit.text)])).toEqual([
      ['a.py', ['x: y', 'z']],
      ['b', ['']],
    ])
  })
})

describe('wording', () => {
  const words = { lang: 'zh', texts: zh } as const
  it('says errors in Chinese', () => {
    expect(errorText({ type: 'error', message: 'm', kind: 'auth', detail: 'd' }, words)).toBe('API 密钥不被接受。请检查密钥，以及它是否属于这个地址。（d）')
  })
  it('marks what a reason is about', () => {
    expect(reasonParts('x', { id: 'writes_file', about: 'a.py' }, words)).toEqual([{ text: '会写入 ', about: false }, { text: 'a.py', about: true }])
    expect(denialText({ reason: 'r', source: 'permission', why: { id: 'reads' } }, words)).toBe('只读')
  })
  it('fills in texts within texts', () => {
    const own = { lang: 'en', texts: { a: 'a {b} {c:.1f}', d: '<{e}>' } } as const
    expect(spoken(own, 'a', { 'b.key': 'd', 'b.e': 'x', c: '1' })).toBe('a <x> 1')
  })
  it('tells a call by what says most', () => {
    expect([telling({ path: 'a', command: 'ls' }), telling({ n: 1 }), telling({})]).toEqual(['ls', '{"n":1}', ''])
  })
})

it('ranks what fits', () => {
  expect(ranked('ma', ['summary', 'main.py', 'm-x-a', 'none'], (each) => each)).toEqual(['main.py', 'summary', 'm-x-a'])
})
