import type { Sequence } from './sequence.ts'

/** The position of what is not there: after all others. */
export const NOWHERE = Infinity

/**
 * The position of an item by its id. `places` has a note of every item of every snapshot, so that a lookup costs
 * the same whatever the length. It is shared and changed in place: a note counts only if the item is there in this
 * snapshot; if not, another one has gone on differently, and the list is searched.
 */
export function findPlace(
  places: Map<string, number>,
  items: Sequence<{ readonly id: string }>,
  id: string,
): number {
  const noted = places.get(id) ?? NOWHERE
  if (noted === NOWHERE || items.at(noted)?.id === id) return noted
  let position = items.length - 1
  while (position >= 0 && items.at(position)?.id !== id) position--
  if (position < 0) return NOWHERE
  places.set(id, position)
  return position
}
