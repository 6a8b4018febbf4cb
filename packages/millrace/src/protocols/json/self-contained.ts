import { blockKey, createJoiner, type Envelope, traitsOf } from '../../envelope/index.ts'
import { ELLIPSIS, shortenItem } from './shorten-item.ts'

/**
 * Creates a function that makes messages readable without `more`: an item is one message of at most `maxBytes`, and a
 * field of a block that goes on in later messages is shortened to its first piece. It returns undefined for a message
 * that says nothing by itself. [EXT-4]
 */
export function createSelfContained(
  maxBytes: number,
): (envelope: Envelope) => Envelope | undefined {
  const joiner = createJoiner()
  /** The fields of open blocks that the next message continues, by the key of the block. */
  const continued = new Map<string, ReadonlySet<string>>()

  function containItem(envelope: Envelope): Envelope | undefined {
    const item = joiner.push(envelope)
    if (item === undefined) return undefined
    const shorter = shortenItem(item, maxBytes)
    // Half an address of an image shows nothing.
    return shorter === item || traitsOf(item.type)?.delta !== 'empty' ? shorter : undefined
  }

  function containBlock(envelope: Envelope): Envelope {
    const { more = {}, ...message } = envelope
    const key = blockKey(envelope)
    const before = continued.get(key)
    if (before === undefined && envelope.more === undefined) return envelope
    if (envelope.more === undefined) continued.delete(key)
    else continued.set(key, new Set(Object.keys(more)))
    const { type, agent, final, delta, ...fields } = message
    const kept = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      if (before?.has(name) === true) return []
      if (!Object.hasOwn(more, name)) return [[name, value]]
      // There is room: `more` itself was longer.
      return more[name] === 'text' ? [[name, `${String(value)}${ELLIPSIS}`]] : []
    })
    return { type, agent, final, delta, ...Object.fromEntries(kept) }
  }

  return (envelope) =>
    traitsOf(envelope.type)?.unit === 'item' ? containItem(envelope) : containBlock(envelope)
}
