export type { EventFormatterOptions, FormattedRun } from '../formatters/event-formatter.ts'
export {
  formatStream,
  type FormatStreamOptions,
  type ProviderSource,
  toSseBody,
} from '../formatters/format-stream.ts'
export type { Formatter, ProviderEvent, ProviderInput } from '../formatters/formatter.ts'
export { rawFormatter, type RawFormatterOptions } from '../formatters/raw-formatter.ts'
export {
  envelopeFormatter,
  type EnvelopeFormatterOptions,
  jsonFormatter,
  type JsonFormatterOptions,
  type ProviderFormatter,
  type WireFormatterOptions,
  xmlFormatter,
  type XmlFormatterOptions,
} from '../formatters/wire-formatter.ts'
