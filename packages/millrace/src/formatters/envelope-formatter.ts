import { createEnvelopeMapper, type EnvelopeWriterOptions } from '../exit/index.ts'
import type { Envelope } from '../envelope/index.ts'
import {
  createProviderFormatter,
  type ProviderFormatter,
  type WireFormatterOptions,
} from './wire-formatter.ts'

/** How a provider's stream becomes messages as values. */
export interface EnvelopeFormatterOptions
  extends WireFormatterOptions, Pick<EnvelopeWriterOptions, 'format' | 'toolInput'> {}

/** Turns a provider's stream into messages as values, uncut: for a transcript in the same process, or another format. */
export function envelopeFormatter(options: EnvelopeFormatterOptions): ProviderFormatter<Envelope> {
  return createProviderFormatter(createEnvelopeMapper(options), options)
}
