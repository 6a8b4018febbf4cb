import { createEnvelopeWriter, type EnvelopeWriterOptions } from '../exit/index.ts'
import type { Formatter } from './formatter.ts'
import { createWireFormatter, type WireFormatterOptions } from './wire-formatter.ts'

/** How a provider's stream becomes JSON envelopes. */
export interface JsonFormatterOptions
  extends WireFormatterOptions, Pick<EnvelopeWriterOptions, 'maxBytes' | 'toolInput'> {}

/** Turns a provider's stream into JSON envelopes, each within the limit. [MAP-1] */
export function jsonFormatter(options: JsonFormatterOptions): Formatter {
  return createWireFormatter(createEnvelopeWriter(options), options)
}
