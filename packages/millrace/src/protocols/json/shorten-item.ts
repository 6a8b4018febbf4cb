import {
  blockKey,
  createJoiner,
  encodeEnvelope,
  type Envelope,
  traitsOf,
} from '../../events/index.ts'

/** Ending of shortened text. */
const ELLIPSIS = '…'
const ELLIPSIS_BYTES = 3
/** Fields other than `delta` may use all but this fraction of a frame before they are shortened too. */
const DELTA_PART = 4
/** Minimum length of a shortened field. Citation types have fewer bytes. */
const MIN_FIELD_BYTES = 32
/** Fields that route and identify a frame. They are never shortened. */
const fixedFields: ReadonlySet<string> = new Set(['type', 'agent', 'final', 'delta', 'id'])

/**
 * Shortens a frame to `maxBytes`: first its `delta`, then other fields if they leave too little room. Shortened text ends with an ellipsis;
 * lists and objects that do not fit are omitted. [EXT-4]
 */
function shortenItem(item: Envelope, maxBytes: number): Envelope {
  const isShort = item.delta.length <= maxBytes && bytesOf(item) <= maxBytes
  if (isShort) return item
  const fields = shortenFields({ ...item, delta: '' }, maxBytes)
  const room = maxBytes - bytesOf({ ...fields, final: false })
  return { ...fields, delta: shortenText(item.delta, room) }
}

/** Halves the maximum field length until there is room for a `delta`. Fields that still do not fit are omitted. */
function shortenFields(item: Envelope, maxBytes: number): Envelope {
  const enough = maxBytes - maxBytes / DELTA_PART
  let shorter = item
  for (let most = maxBytes / 2; most >= MIN_FIELD_BYTES && bytesOf(shorter) > enough; most /= 2) {
    const fields = Object.entries(shorter).map(([name, value]): [string, unknown] => [
      name,
      fixedFields.has(name) ? value : shortenValue(value, Math.floor(most)),
    ])
    shorter = { ...item, ...Object.fromEntries(fields) }
  }
  return bytesOf(shorter) > enough ? keepFirst(shorter, maxBytes - ELLIPSIS_BYTES) : shorter
}

function keepFirst({ type, agent, final, delta, id, ...fields }: Envelope, maxBytes: number) {
  let kept: Envelope = { type, agent, final, delta, ...(id !== undefined && { id }) }
  for (const [name, value] of Object.entries(fields)) {
    const longer = { ...kept, [name]: value }
    if (bytesOf(longer) <= maxBytes) kept = longer
  }
  return kept
}

function shortenValue(value: unknown, maxBytes: number): unknown {
  if (typeof value === 'string') return shortenText(value, maxBytes)
  const { length } = encoder.encode(JSON.stringify(value) ?? '')
  return length > maxBytes ? undefined : value
}

/** Truncates text between code points to a number of escaped bytes, including the ellipsis. */
function shortenText(text: string, maxBytes: number): string {
  if (text.length <= maxBytes && jsonBytes(text) <= maxBytes) return text
  let kept = ''
  let room = maxBytes - ELLIPSIS_BYTES
  for (const character of text) {
    room -= jsonBytes(character)
    if (room < 0) break
    kept += character
  }
  return kept + ELLIPSIS
}

const encoder = new TextEncoder()

/** Returns the size of text in JSON, without its quotes. */
function jsonBytes(text: string): number {
  return encoder.encode(JSON.stringify(text)).length - 2
}

function bytesOf(message: Envelope): number {
  return encoder.encode(encodeEnvelope(message)).length
}

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
