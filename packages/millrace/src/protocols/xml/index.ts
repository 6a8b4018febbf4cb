import { type ProtocolCode, readChoice } from '../port/index.ts'
import { xmlFormat } from './xml-format.ts'

/** The code of the protocol `xml`. */
export const code: ProtocolCode = {
  format: (query) => xmlFormat(readChoice(query, 'agents', ['all', 'root'])),
}
