import type { JsonObject } from 'millrace'

/** A recorded response of the Messages API, with the result of the official SDK. */
export interface Recording {
  readonly name: string
  /** The body as server-sent events; its last frame has an end unless the recording itself was cut. */
  readonly body: Uint8Array
  readonly golden: Golden | undefined
}

/** The result of the official SDK for a recording. */
export interface Golden {
  readonly ok: boolean
  /** One for each message of the recording. */
  readonly messages: readonly JsonObject[]
  /** The error of the SDK without a message. */
  readonly error: string
}
