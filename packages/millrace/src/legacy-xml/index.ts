export { envelopesToXml, xmlToEnvelopes } from './convert.ts'
export type {
  LegacyXmlDecoder,
  LegacyXmlDecoderOptions,
  LegacyXmlLimits,
} from './decode/decoder.ts'
export { createLegacyXmlEncoder } from './encode/encoder.ts'
export type { LegacyXmlEncoder, LegacyXmlEncoderOptions } from './encode/encoder.ts'
export { createLegacyXmlDecoder } from './decode/message-decoder.ts'
export { createLegacyXmlTextDecoder } from './decode/text-decoder.ts'
