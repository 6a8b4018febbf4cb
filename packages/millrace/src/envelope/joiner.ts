import { MillraceError } from '../errors/index.ts'
import { traitsOf } from './catalog.ts'
import { blockKey, type Envelope } from './envelope.ts'
import { joinContinued } from './join.ts'

/** Collects messages into whole blocks and items. */
export interface Joiner {
  /** Takes the next message; gives the whole block or item that it completes, if it does. */
  push(envelope: Envelope): Envelope | undefined
  /** What has begun and is not whole, in the order in which it began. */
  open(): readonly Envelope[]
}

/** Joins the messages of a stream into one envelope for each block and item. [ENV-7] [CHUNK-5] */
export function createJoiner({ maxLength = 64 * 1024 * 1024 } = {}): Joiner {
  const held = new Map<string, Envelope>()
  return {
    push(envelope) {
      const key = blockKey(envelope)
      const before = held.get(key)
      const joined = before === undefined ? envelope : joinBlock(before, envelope)
      if (isWhole(joined)) {
        held.delete(key)
        return joined
      }
      if (joined.delta.length > maxLength) throw tooLong(envelope, maxLength)
      held.set(key, joined)
      return undefined
    },
    open: () => [...held.values()],
  }
}

function isItem(envelope: Envelope): boolean {
  return traitsOf(envelope.type)?.unit === 'item'
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
      `The pieces of a field of ${next.type} do not make JSON; a message of the block is missing.`,
      { cause },
    )
  }
}

function tooLong({ type, agent }: Envelope, maxLength: number): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `A ${type} block of agent ${agent} is longer than ${maxLength} characters; raise maxLength to accept it.`,
  )
}
