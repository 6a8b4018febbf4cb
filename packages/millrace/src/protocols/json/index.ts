import { type ProtocolCode, readChoice } from '../port/index.ts'
import { jsonFormat } from './json-format.ts'

/** The code of the protocol `json`. */
export const code: ProtocolCode = {
  format: (query) => jsonFormat(readChoice(query, 'extensions', ['all', 'none'])),
}
