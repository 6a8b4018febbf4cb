import type { Sequence } from './sequence.ts'

/**
 * The position of the last item that passes a test, or the one after all items. What is asked for is nearly always
 * near the end, so the length does not count.
 */
export function findLast<T>(items: Sequence<T>, test: (item: T) => boolean): number {
  let position = items.length
  while (position-- > 0) if (test(items.at(position)!)) return position
  return items.length
}
