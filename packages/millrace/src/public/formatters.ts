export {
  envelopeFormatter,
  formatStream,
  jsonFormatter,
  rawFormatter,
  toSseBody,
  xmlFormatter,
} from '../formatters/index.ts'
export type {
  EnvelopeFormatterOptions,
  EventFormatterOptions,
  FormatStreamOptions,
  FormattedRun,
  Formatter,
  JsonFormatterOptions,
  ProviderEvent,
  ProviderFormatter,
  ProviderInput,
  ProviderSource,
  RawFormatterOptions,
  WireFormatterOptions,
  XmlFormatterOptions,
} from '../formatters/index.ts'
