/** Terminal output as spans of classes: colours and weights of ECMA-48 SGR; every other control sequence is left out. */
import { visible } from './visible'

export interface Span {
  readonly text: string
  /** Space-separated class names, such as `bold fg-1`. */
  readonly style: string
}

// SGR; any other CSI; OSC, DCS, APC, PM and SOS up to their end; two-character escapes.
 
const SEQUENCE = /\u001b\[([\d;:]*)m|\u001b\[[\d;:<=>?]*[ -/]*[@-~]|\u001b[\]P_^X][\s\S]*?(?:\u0007|\u001b\\|$)|\u001b[ -/]*[0-~]?/g

interface Look {
  fg: string
  bg: string
  on: Set<string>
}

export function ansiSpans(text: string): Span[] {
  const spans: Span[] = []
  const look: Look = { fg: '', bg: '', on: new Set() }
  let from = 0
  const add = (piece: string): void => {
    if (!piece) return
    const style = [...look.on, look.fg && `fg-${look.fg}`, look.bg && `bg-${look.bg}`].filter(Boolean).join(' ')
    spans.push({ text: visible(piece), style })
  }
  const clean = overwritten(text)
  for (const match of clean.matchAll(SEQUENCE)) {
    add(clean.slice(from, match.index))
    from = match.index + match[0].length
    if (match[1] !== undefined) select(look, match[1])
  }
  add(clean.slice(from))
  return spans
}

/** What a progress line leaves: of each line the part after its last carriage return. */
function overwritten(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/[^\n]*\r(?=[^\n])/g, '').replace(/\r/g, '')
}

function select(look: Look, parameters: string): void {
  const codes = parameters.split(/[;:]/).map((each) => (each === '' ? 0 : Number(each)))
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 0) Object.assign(look, { fg: '', bg: '', on: new Set() })
    else if (code === 1) look.on.add('bold')
    else if (code === 2) look.on.add('dim')
    else if (code === 3) look.on.add('italic')
    else if (code === 4) look.on.add('underline')
    else if (code === 7) look.on.add('reverse')
    else if (code === 9) look.on.add('strike')
    else if (code === 22) for (const name of ['bold', 'dim']) look.on.delete(name)
    else if (code === 23) look.on.delete('italic')
    else if (code === 24) look.on.delete('underline')
    else if (code === 27) look.on.delete('reverse')
    else if (code === 29) look.on.delete('strike')
    else if (code >= 30 && code <= 37) look.fg = String(code - 30)
    else if (code >= 90 && code <= 97) look.fg = String(code - 90 + 8)
    else if (code >= 40 && code <= 47) look.bg = String(code - 40)
    else if (code >= 100 && code <= 107) look.bg = String(code - 100 + 8)
    else if (code === 39) look.fg = ''
    else if (code === 49) look.bg = ''
    else if (code === 38 || code === 48) {
      const colour = codes[at + 1] === 5 ? nearest256(codes[at + 2] ?? 0) : nearestRgb(codes.slice(at + 2, at + 5))
      if (code === 38) look.fg = colour
      else look.bg = colour
      at += codes[at + 1] === 5 ? 2 : 4
    }
  }
}

// The sixteen colours of the page's theme stand for all: a person's theme decides what "red" is.
const BASIC: readonly (readonly [number, number, number])[] = [
  [0, 0, 0], [205, 49, 49], [13, 188, 121], [229, 229, 16], [36, 114, 200], [188, 63, 188], [17, 168, 205], [200, 200, 200],
  [102, 102, 102], [241, 76, 76], [35, 209, 139], [245, 245, 67], [59, 142, 234], [214, 112, 214], [41, 184, 219], [255, 255, 255],
]

function nearest256(index: number): string {
  if (index < 16) return String(index)
  if (index >= 232) return nearestRgb(Array<number>(3).fill(8 + (index - 232) * 10))
  const cube = index - 16
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40)
  return nearestRgb([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)])
}

function nearestRgb(rgb: readonly number[]): string {
  const [red = 0, green = 0, blue = 0] = rgb
  let best = 0
  let least = Infinity
  BASIC.forEach(([r, g, b], index) => {
    const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2
    if (distance < least) [best, least] = [index, distance]
  })
  return String(best)
}
