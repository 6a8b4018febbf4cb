import type { JsonObject } from 'millrace'

/** A recorded response of the Messages API, with what the official SDK made of it. */
export interface Recording {
  readonly name: string
  /** The body as server-sent events, its last frame ended unless the recording itself was cut there. */
  readonly body: Uint8Array
  readonly golden: Golden | undefined
}

/** What the official SDK made of a recording. */
export interface Golden {
  readonly ok: boolean
  /** One for each message of the recording. */
  readonly messages: readonly JsonObject[]
  /** Why the SDK gave no message. */
  readonly error: string
}
