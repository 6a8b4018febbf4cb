import { findHiddenCharacters } from 'millrace'
import type { HiddenCharacter } from 'millrace'
import { stringsIn } from './strings-in.ts'

/** Lists the hidden characters in the strings and names of a JSON value, each kind once with its count. */
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
