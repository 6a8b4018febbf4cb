import type { LegacyXmlDecoderOptions } from './decode/block-writer.ts'
import type { Envelope } from '../events/index.ts'
import { createLegacyXmlDecoder } from './decode/message-decoder.ts'
import { createLegacyXmlTextDecoder } from './decode/text-decoder.ts'
import { createLegacyXmlEncoder, type LegacyXmlEncoderOptions } from './encode/encoder.ts'

/**
 * Converts a recorded legacy stream to envelopes: the data of its SSE messages one by one, or one string without
 * message boundaries. [XML-1]
 */
export function* xmlToEnvelopes(
  recorded: string | Iterable<string>,
  options: LegacyXmlDecoderOptions = {},
): Generator<Envelope, void> {
  const isText = typeof recorded === 'string'
  const decoder = isText ? createLegacyXmlTextDecoder(options) : createLegacyXmlDecoder(options)
  for (const piece of isText ? [recorded] : recorded) yield* decoder.feed(piece)
  yield* decoder.finish()
}

/** Converts envelopes in wire order to the data of legacy SSE messages, without `[DONE]`. */
export function* envelopesToXml(
  envelopes: Iterable<Envelope>,
  options: LegacyXmlEncoderOptions = {},
): Generator<string, void> {
  const encoder = createLegacyXmlEncoder(options)
  for (const envelope of envelopes) yield* encoder.encode(envelope)
  yield* encoder.finish()
}
