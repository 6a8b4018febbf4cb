export { createLegacyXmlEncoder, type LegacyXmlEncoderOptions } from './encode/encoder.ts'
