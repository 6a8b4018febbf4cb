import { type ProtocolCode, readChoice } from '../port/index.ts'
import { xmlDialect } from './xml-dialect.ts'

export { xmlDialect } from './xml-dialect.ts'
export type { XmlDialectOptions } from './xml-dialect.ts'

/** The code of the protocol `xml`. */
export const code: ProtocolCode = {
  format: (query) => xmlDialect(readChoice(query, 'agents', ['all', 'root'])),
}
