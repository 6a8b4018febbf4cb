import { findHiddenCharacters } from 'millrace'
import type { HiddenCharacter } from 'millrace'

/** Lists the hidden characters in the strings and field names of a JSON value, each kind once with its count. */
export function listHidden(value: unknown): readonly HiddenCharacter[] {
  const found = new Map<number, HiddenCharacter>()
  for (const text of stringsIn(value)) {
    for (const { hidden } of findHiddenCharacters(text)) {
      if (!hidden) continue
      const before = found.get(hidden.codePoint)?.count ?? 0
      found.set(hidden.codePoint, { ...hidden, count: before + hidden.count })
    }
  }
  return [...found.values()].sort((one, other) => other.count - one.count)
}

/** Yields all strings and field names of a JSON value at any depth. */
export function* stringsIn(value: unknown): Generator<string> {
  const left: unknown[] = [value]
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each === 'string') yield each
    if (typeof each !== 'object' || each === null) continue
    for (const [name, part] of Object.entries(each)) left.push(name, part)
  }
}
