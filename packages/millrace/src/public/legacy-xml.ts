export {
  createLegacyXmlDecoder,
  createLegacyXmlEncoder,
  createLegacyXmlTextDecoder,
  envelopesToXml,
  xmlToEnvelopes,
} from '../legacy-xml/index.ts'
export type {
  LegacyXmlDecoder,
  LegacyXmlDecoderOptions,
  LegacyXmlEncoder,
  LegacyXmlEncoderOptions,
  LegacyXmlLimits,
} from '../legacy-xml/index.ts'
