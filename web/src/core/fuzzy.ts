/** Which entries fit what was typed, best first. Pure. */

/** Higher is better; null if the letters of `query` are not all in `text`, in order. */
export function score(query: string, text: string): number | null {
  const wanted = query.toLowerCase()
  const given = text.toLowerCase()
  if (!wanted) return 0
  const whole = given.indexOf(wanted)
  if (whole >= 0) return 1000 - whole - given.length / 100 + (isStart(given, whole) ? 200 : 0)
  let points = 0
  let at = -1
  for (const char of wanted) {
    const next = given.indexOf(char, at + 1)
    if (next < 0) return null
    points += isStart(given, next) ? 12 : next === at + 1 ? 8 : 1
    at = next
  }
  return points - given.length / 100
}

export function ranked<T>(query: string, entries: readonly T[], text: (entry: T) => string, limit = 50): T[] {
  return entries
    .map((entry, order) => ({ entry, order, points: score(query, text(entry)) }))
    .filter((each): each is { entry: T; order: number; points: number } => each.points !== null)
    .sort((a, b) => b.points - a.points || a.order - b.order)
    .slice(0, limit)
    .map((each) => each.entry)
}

function isStart(text: string, at: number): boolean {
  return at === 0 || /[\s/\\._-]/.test(text[at - 1] ?? '')
}
