import type { Envelope } from '../envelope/index.ts'

/** Bounds on what a decoder holds back, in UTF-16 units. [XML-22] */
export interface LegacyXmlLimits {
  /** The longest opening tag in text mode; a longer one is text. */
  readonly maxTagLength?: number
  /** The longest body of an element that comes in pieces; a longer one is text. */
  readonly maxElementLength?: number
}

/** The bounds that hold where none are given; `data` attributes may carry a whole conversation. */
export const DEFAULT_LIMITS = {
  maxTagLength: 64 * 1024 * 1024,
  maxElementLength: 64 * 1024 * 1024,
} as const satisfies LegacyXmlLimits

/** What a decoder may be given. */
export interface LegacyXmlDecoderOptions {
  /** Whose messages they are until a `meta_init` says so. [XML-20] */
  readonly agent?: string
  readonly limits?: LegacyXmlLimits
}

/** Turns a legacy stream into envelopes, piece by piece. */
export interface LegacyXmlDecoder {
  /** Takes the next piece and gives the messages that it completes. */
  feed(piece: string): Envelope[]
  /** Takes the end of the stream and closes what is open. [XML-15] */
  finish(): Envelope[]
}
