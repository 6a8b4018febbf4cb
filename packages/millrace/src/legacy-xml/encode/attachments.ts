import { blockKey, type Envelope } from '../../events/index.ts'
import { MillraceError } from '../../errors/index.ts'

/** Holds images and citations until their block is complete. */
interface Attachments {
  add(key: string, item: Envelope): void
  take(key: string): readonly Envelope[]
  /** Removes and returns all held items, by block. */
  takeAll(): readonly (readonly Envelope[])[]
}

/** Creates an empty collection that holds at most this many UTF-16 units. */
export function createAttachments(maxLength: number): Attachments {
  const kept = new Map<string, Envelope[]>()
  let length = 0

  function take(key: string): readonly Envelope[] {
    const items = kept.get(key) ?? []
    kept.delete(key)
    for (const item of items) length -= lengthOf(item)
    return items
  }

  return {
    add(key, item) {
      length += lengthOf(item)
      if (length > maxLength) throw heldTextError(maxLength)
      const items = kept.get(key)
      if (items === undefined) kept.set(key, [item])
      else items.push(item)
    },
    take,
    takeAll: () => [...kept.keys()].map(take),
  }
}

function lengthOf({ delta, ...fields }: Envelope): number {
  const { src } = fields
  return delta.length + (typeof src === 'string' ? src.length : 0)
}

/** Creates the error for a stream that exceeds the limit of held text. */
export function heldTextError(maxLength: number): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `More than ${maxLength} characters wait for a block to end. Raise maxHeldLength to accept them.`,
  )
}

/** Returns the key of the tool result that an image belongs to. */
export function resultKey(image: Envelope): string {
  return blockKey({ ...image, type: 'tool_result' })
}
