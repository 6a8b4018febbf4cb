import type { JsonValue } from '../json/index.ts'

/** Extra fields of a message, by name. */
export type Extras = Readonly<Record<string, JsonValue>>

/** How a field that goes on in the next message is to be joined. [CHUNK-5] */
export type Continuation = 'text' | 'json'

/** The four fields of every message. [ENV-1] */
export interface EnvelopeBase {
  readonly type: string
  readonly agent: string
  readonly final: boolean
  readonly delta: string
}

/**
 * One message of the wire. Fields beyond the base depend on the type and are read as `unknown` JSON,
 * because a reader must accept those that it does not know. [ENV-9]
 */
export interface Envelope extends EnvelopeBase {
  /** Joins the messages of one block where several of a type may be open. [ENV-7] */
  readonly id?: string
  /** The fields of this message that go on in the next one of the same block. [CHUNK-5] */
  readonly more?: Readonly<Record<string, Continuation>>
  /** How many log messages this one stands for after compact catch-up. [LOG-5] */
  readonly span?: number
  readonly [extra: string]: unknown
}

/** The key of the block that a message belongs to. [ENV-7] */
export function blockKey(envelope: Envelope): string {
  const { agent, type, id } = envelope
  return id === undefined ? `${agent}\n${type}` : `${agent}\n${type}\n${id}`
}
