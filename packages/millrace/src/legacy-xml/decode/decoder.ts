import type { Envelope } from '../../events/index.ts'

/** Bounds on the text that a decoder holds, in UTF-16 units. [XML-22] */
export interface LegacyXmlLimits {
  /** Maximum length of an opening tag in text mode; a longer one is text. */
  readonly maxTagLength?: number
  /** Maximum length of an element's body that arrives in chunks; a longer one is text. */
  readonly maxElementLength?: number
}

/** Default bounds; `data` attributes may carry a whole conversation. */
export const DEFAULT_LIMITS = {
  maxTagLength: 64 * 1024 * 1024,
  maxElementLength: 64 * 1024 * 1024,
} as const satisfies LegacyXmlLimits

/** Options of a decoder. */
export interface LegacyXmlDecoderOptions {
  /** The agent of messages before a `meta_init` names it. [XML-20] */
  readonly agent?: string
  readonly limits?: LegacyXmlLimits
}

/** Converts a legacy stream to envelopes, chunk by chunk. */
export interface LegacyXmlDecoder {
  /** Reads the next chunk and returns the messages that it completes. */
  feed(piece: string): Envelope[]
  /** Ends the stream and closes open blocks. [XML-15] */
  finish(): Envelope[]
}
