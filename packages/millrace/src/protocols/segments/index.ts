import { type ProtocolCode, readChoice } from '../port/index.ts'
import { segmentsDialect } from './segments-dialect.ts'
import { segmentsReader } from './segments-reader.ts'

export { segmentsDialect } from './segments-dialect.ts'
export type { SegmentsDialectOptions } from './segments-dialect.ts'
export { segmentsReader } from './segments-reader.ts'
export type { SegmentsReaderOptions } from './segments-reader.ts'

/** The code of the protocol `segments`. */
export const code: ProtocolCode = {
  format: (query) => segmentsDialect(readChoice(query, 'agents', ['all', 'root'])),
  reader: segmentsReader,
}
