export { envelopesToXml, xmlToEnvelopes } from '../legacy-xml/convert.ts'
export type {
  LegacyXmlDecoder,
  LegacyXmlDecoderOptions,
  LegacyXmlLimits,
} from '../legacy-xml/decode/block-writer.ts'
export { createLegacyXmlDecoder } from '../legacy-xml/decode/message-decoder.ts'
export { createLegacyXmlTextDecoder } from '../legacy-xml/decode/text-decoder.ts'
export {
  createLegacyXmlEncoder,
  type LegacyXmlEncoder,
  type LegacyXmlEncoderOptions,
} from '../legacy-xml/encode/encoder.ts'
