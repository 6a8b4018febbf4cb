import { createEnvelopeMapper, type EnvelopeWriterOptions, type Envelope } from '../events/index.ts'
import {
  createProviderFormatter,
  type ProviderFormatter,
  type WireFormatterOptions,
} from './wire-formatter.ts'

/** Options of an envelope formatter. */
export interface EnvelopeFormatterOptions
  extends WireFormatterOptions, Pick<EnvelopeWriterOptions, 'format' | 'toolInput'> {}

/**
 * Converts a provider's stream to envelope values, uncut: for a transcript in the same process, or another format.
 */
export function envelopeFormatter(options: EnvelopeFormatterOptions): ProviderFormatter<Envelope> {
  return createProviderFormatter(createEnvelopeMapper(options), options)
}
