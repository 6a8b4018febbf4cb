import { createEnvelopeWriter, type EnvelopeWriterOptions } from '../events/index.ts'
import type { Formatter } from './formatter.ts'
import { createWireFormatter, type WireFormatterOptions } from './wire-formatter.ts'

/** Options of a JSON formatter. */
export interface JsonFormatterOptions
  extends WireFormatterOptions, Pick<EnvelopeWriterOptions, 'maxBytes' | 'toolInput'> {}

/** Converts a provider's stream to JSON envelopes, each within the limit. [MAP-1] */
export function jsonFormatter(options: JsonFormatterOptions): Formatter {
  return createWireFormatter(createEnvelopeWriter(options), options)
}
