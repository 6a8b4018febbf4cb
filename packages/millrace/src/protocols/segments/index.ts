import { type ProtocolCode, readChoice } from '../port/index.ts'
import { segmentsFormat } from './segments-writer.ts'
import { segmentsReader } from './segments-reader.ts'

/** The code of the protocol `segments`. */
export const code: ProtocolCode = {
  format: (query) => segmentsFormat(readChoice(query, 'agents', ['all', 'root'])),
  reader: segmentsReader,
}
