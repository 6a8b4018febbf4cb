import type { JsonValue } from '../../json/index.ts'

/** Extra fields of a message, by name. */
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
