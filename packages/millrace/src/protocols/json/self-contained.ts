import { blockKey, createJoiner, type Envelope, traitsOf } from '../../events/index.ts'
import { ELLIPSIS, shortenItem } from './shorten-item.ts'

/**
 * Creates a function that makes frames readable without `more`. An item becomes one frame of at most `maxBytes`; a field that continues in
 * later frames of a block is shortened to its first piece. The function returns undefined for a frame without content of its own. [EXT-4]
 */
export function createSelfContained(
  maxBytes: number,
): (envelope: Envelope) => Envelope | undefined {
  const joiner = createJoiner()
  /** Fields of open blocks that the next frame continues, by block key. */
  const continued = new Map<string, ReadonlySet<string>>()

  function containItem(envelope: Envelope): Envelope | undefined {
    const item = joiner.push(envelope)
    if (item === undefined) return undefined
    const shorter = shortenItem(item, maxBytes)
    // Half of an image URL is useless.
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
      // The ellipsis fits, because `more` itself was longer.
      return more[name] === 'text' ? [[name, `${String(value)}${ELLIPSIS}`]] : []
    })
    return { type, agent, final, delta, ...Object.fromEntries(kept) }
  }

  return (envelope) =>
    traitsOf(envelope.type)?.isItem ? containItem(envelope) : containBlock(envelope)
}
