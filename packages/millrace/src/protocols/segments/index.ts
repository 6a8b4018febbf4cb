import { type ProtocolCode, readChoice } from '../port/index.ts'
import { segmentsFormat } from './segments-writer.ts'

/** The code of the protocol `segments`. */
export const code: ProtocolCode = {
  format: (query) => segmentsFormat(readChoice(query, 'agents', ['all', 'root'])),
}
