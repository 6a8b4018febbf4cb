import type { JsonValue } from '../../json/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { typeOfEvent } from '../catalog/find-traits.ts'

/** Extra fields of a frame, by name. */
export type Extras = Readonly<Record<string, JsonValue>>

/** The joining of a field that continues in the next frame. [CHUNK-5] */
export type Continuation = 'text' | 'json'

/** The four fields of every frame. [ENV-1] */
export interface EnvelopeBase {
  readonly type: string
  readonly agent: string
  readonly final: boolean
  readonly delta: string
}

/**
 * One frame of the wire. Fields beyond the base depend on the type and are read as `unknown` JSON, because a reader must accept unknown
 * ones. [ENV-9]
 */
export interface Envelope extends EnvelopeBase {
  /** Identifies the block if several blocks of a type may be open. [ENV-7] */
  readonly id?: string
  /** The fields that continue in the next frame of the same block. [CHUNK-5] */
  readonly more?: Readonly<Record<string, Continuation>>
  /** Number of log frames that this one replaces after compact catch-up. [LOG-5] */
  readonly span?: number
  readonly [extra: string]: unknown
}

/** Returns the key of the block that a frame belongs to. [ENV-7] */
export function blockKey(envelope: Envelope): string {
  const { agent, type, id } = envelope
  return id === undefined ? `${agent}\n${type}` : `${agent}\n${type}\n${id}`
}

/** Encodes one frame as a line of JSON: base fields first, no needless escapes. [ENV-2] */
export function encodeEnvelope(envelope: Envelope): string {
  const { type, agent, final, delta, ...extras } = envelope
  const base = JSON.stringify({ type, agent, final, delta })
  // Joined as text: in one object, a field with a numeric name would come first.
  const fields = JSON.stringify(extras)
  return fields === '{}' ? base : `${base.slice(0, -1)},${fields.slice(1)}`
}

/** Decodes one line of the wire; unknown types and fields pass unchanged. [ENV-9] [ENV-10] */
export function decodeEnvelope(line: string): Envelope {
  let value: Partial<Envelope> | null | undefined
  try {
    value = JSON.parse(line) as Partial<Envelope> | null
  } catch {
    // The error below quotes the line, which is more useful than the parser's message.
  }
  const isNamed = typeof value?.type === 'string' && typeof value.agent === 'string'
  if (isNamed && typeof value?.delta === 'string' && typeof value.final === 'boolean') {
    return value as Envelope
  }
  // Older servers report their own failure as a bare object with a message. Other text is truncated for the log.
  const message = value?.['message'] ?? `Not an envelope: ${line.slice(0, 120)}`
  throw new MillraceError('envelope_malformed', String(message))
}

const NO_START = '-'

/**
 * Creates a decoder for the lines of one stream. Most lines have the prefix of the line before, up to the quote that opens `delta`; then
 * only the delta is parsed, which takes a third of the time.
 */
export function createEnvelopeDecoder(): (line: string) => Envelope {
  let start = NO_START
  let latest: Envelope
  return (line) => {
    // `startsWith` takes 400 ns if only one of the texts is one-byte.
    if (line.indexOf(start) === 0 && line.endsWith('}')) {
      try {
        const delta = JSON.parse(line.slice(start.length - 1, -1)) as string
        return { type: latest.type, agent: latest.agent, final: latest.final, delta }
      } catch {
        // Other fields follow the delta.
      }
    }
    latest = decodeEnvelope(line)
    const { length, 3: last } = Object.keys(latest)
    start =
      length === 4 && last === 'delta' ? line.slice(0, line.indexOf('"delta":"') + 9) : NO_START
    return latest
  }
}

// Pure, so that bundlers leave it out of pages.
const encoder = /* @__PURE__ */ new TextEncoder()

/** Returns the first bytes of each frame of an event, of one agent or of any, or only of its last frame. [ENV-2] */
export function frameStart(event: string, agent?: string, part?: 'last'): Uint8Array {
  const type = `{"type":${JSON.stringify(typeOfEvent(event))},"agent":`
  if (agent === undefined) return encoder.encode(type)
  const final = part === 'last' ? '"final":true,' : ''
  return encoder.encode(`${type}${JSON.stringify(agent)},${final}`)
}
