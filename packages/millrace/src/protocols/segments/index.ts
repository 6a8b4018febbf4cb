import { type ProtocolCode, readChoice } from '../port/index.ts'
import { segmentsFormat } from './segments-format.ts'
import { segmentsReader } from './segments-reader.ts'

export { segmentsFormat } from './segments-format.ts'
export type { SegmentsFormatOptions } from './segments-format.ts'
export { segmentsReader } from './segments-reader.ts'
export type { SegmentsReaderOptions } from './segments-reader.ts'

/** The code of the protocol `segments`. */
export const code: ProtocolCode = {
  format: (query) => segmentsFormat(readChoice(query, 'agents', ['all', 'root'])),
  reader: segmentsReader,
}
