/** A unified diff as rows with line numbers. Pure. */

export interface DiffRow {
  readonly kind: 'context' | 'added' | 'removed' | 'hunk'
  readonly before: number | null
  readonly after: number | null
  readonly text: string
}

export interface FileDiff {
  readonly rows: readonly DiffRow[]
  readonly added: number
  readonly removed: number
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/

export function parseDiff(diff: string): FileDiff {
  const rows: DiffRow[] = []
  let before = 0
  let after = 0
  let inHunk = false
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line)
    if (hunk) {
      inHunk = true
      before = Number(hunk[1])
      after = Number(hunk[2])
      rows.push({ kind: 'hunk', before: null, after: null, text: (hunk[3] ?? '').trim() })
    } else if (!inHunk || line.startsWith('\\')) {
      continue
    } else if (line.startsWith('+')) {
      rows.push({ kind: 'added', before: null, after: after++, text: line.slice(1) })
    } else if (line.startsWith('-')) {
      rows.push({ kind: 'removed', before: before++, after: null, text: line.slice(1) })
    } else {
      rows.push({ kind: 'context', before: before++, after: after++, text: line.slice(1) })
    }
  }
  const count = (kind: DiffRow['kind']): number => rows.filter((row) => row.kind === kind).length
  return { rows, added: count('added'), removed: count('removed') }
}

/** The lines of `read_file`, each with its number; null for what is no such output. */
export function numberedLines(output: string): { number: number; text: string }[] | null {
  const lines = output.replace(/\n$/, '').split('\n')
  const found: { number: number; text: string }[] = []
  for (const line of lines) {
    const match = /^\s*(\d+)\t(.*)$/.exec(line)
    if (match) found.push({ number: Number(match[1]), text: match[2] ?? '' })
    else if (found.length === 0) return null
  }
  return found.length ? found : null
}

export interface Hit {
  readonly path: string
  readonly line: number
  readonly text: string
}

/** `path:line:text` of a search, by file, in order; null for what is no such output. */
export function searchHits(output: string): Map<string, Hit[]> | null {
  const files = new Map<string, Hit[]>()
  for (const row of output.split('\n')) {
    const match = /^(.+?):(\d+):(.*)$/.exec(row)
    if (!match) continue
    const [, path = '', line = '0', text = ''] = match
    const hits = files.get(path) ?? []
    hits.push({ path, line: Number(line), text })
    files.set(path, hits)
  }
  return files.size ? files : null
}
