import { type Envelope, blockKey } from './envelope.ts'
import { MillraceError } from '../../errors/index.ts'
import { traitsOf } from '../catalog/find-traits.ts'

/**
 * Joins a frame with the previous one of the same block, whose `more` names the continued fields: these are appended, the others are
 * taken from the newer frame. Throws if a JSON field lacks a part. [CHUNK-5]
 */
export function joinContinued(held: Envelope, next: Envelope): Envelope {
  const { more: before = {} } = held
  const { more: after = {} } = next
  const fields = Object.entries(before).map(([field, kind]): [string, unknown] => {
    const text = pieceOf(held, field) + pieceOf(next, field)
    return [field, kind === 'json' && !Object.hasOwn(after, field) ? JSON.parse(text) : text]
  })
  // A spread keeps a field named `__proto__`; an assignment would change the prototype.
  const whole: Envelope = { ...held, ...next, ...Object.fromEntries(fields) }
  const { more: _, ...joined } = whole
  return next.more ? whole : joined
}

function pieceOf(envelope: Envelope, field: string): string {
  const piece = envelope[field]
  return typeof piece === 'string' ? piece : ''
}

/** Joins frames to whole blocks and items. */
export interface Joiner {
  /** Takes the next frame; returns the block or item that it completes. */
  push(envelope: Envelope): Envelope | undefined
  /** Returns the incomplete blocks and items in the order of their starts. */
  open(): readonly Envelope[]
}

/** Creates a joiner that returns one envelope for each block and item. [ENV-7] [CHUNK-5] */
export function createJoiner({ maxLength = 64 * 1024 * 1024 } = {}): Joiner {
  const held = new Map<string, Envelope>()
  let length = 0

  function forget(key: string): Envelope | undefined {
    const before = held.get(key)
    held.delete(key)
    if (before !== undefined) length -= lengthOf(key, before)
    return before
  }

  return {
    push(envelope) {
      const key = blockKey(envelope)
      const before = forget(key)
      const joined = before === undefined ? envelope : joinBlock(before, envelope)
      if (isWhole(joined)) return joined
      held.set(key, joined)
      length += lengthOf(key, joined)
      if (length > maxLength) throw tooLong(envelope, maxLength)
      return undefined
    },
    open: () => [...held.values()],
  }
}

/** Returns the stored length of a frame: its key and all of its texts. */
function lengthOf(key: string, envelope: Envelope): number {
  const texts = Object.values(envelope).filter((value) => typeof value === 'string')
  return texts.reduce((sum, text) => sum + text.length, key.length)
}

function isItem(envelope: Envelope): boolean {
  return traitsOf(envelope.type)?.isItem === true
}

function isWhole(envelope: Envelope): boolean {
  return isItem(envelope) ? envelope.more === undefined : envelope.final
}

function joinBlock(before: Envelope, next: Envelope): Envelope {
  try {
    const joined = joinContinued(before, next)
    return isItem(next) ? joined : { ...joined, delta: before.delta + next.delta }
  } catch (cause) {
    throw new MillraceError(
      'envelope_malformed',
      `The pieces of a field of ${next.type} are not valid JSON; a frame of the block is missing.`,
      { cause },
    )
  }
}

function tooLong({ type, agent }: Envelope, maxLength: number): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `Incomplete blocks, last ${type} of agent ${agent}, hold more than ${maxLength} characters; raise the limit to accept them.`,
  )
}
