export {
  envelopeFormatter,
  type EnvelopeFormatterOptions,
} from '../formatters/envelope-formatter.ts'
export type { EventFormatterOptions, FormattedRun } from '../formatters/event-formatter.ts'
export {
  formatStream,
  type FormatStreamOptions,
  type ProviderSource,
} from '../formatters/format-stream.ts'
export type { Formatter, ProviderEvent, ProviderInput } from '../formatters/formatter.ts'
export { jsonFormatter, type JsonFormatterOptions } from '../formatters/json-formatter.ts'
export { rawFormatter, type RawFormatterOptions } from '../formatters/raw-formatter.ts'
export { toSseBody } from '../formatters/to-sse-body.ts'
export type { ProviderFormatter, WireFormatterOptions } from '../formatters/wire-formatter.ts'
export { xmlFormatter, type XmlFormatterOptions } from '../formatters/xml-formatter.ts'
