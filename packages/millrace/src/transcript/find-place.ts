import type { Sequence } from './sequence.ts'

/**
 * The position of an item by its id, or undefined. `places` has a note of every item of every snapshot, so that
 * a lookup costs the same whatever the length. It is shared and changed in place: a note counts only if the item
 * is there in this snapshot, else another one has gone on differently, and the list is searched.
 */
export function findPlace(
  places: Map<string, number>,
  items: Sequence<{ readonly id: string }>,
  id: string,
): number | undefined {
  const noted = places.get(id)
  if (noted === undefined || items.at(noted)?.id === id) return noted
  for (let position = items.length - 1; position >= 0; position--) {
    if (items.at(position)?.id !== id) continue
    places.set(id, position)
    return position
  }
  return undefined
}
