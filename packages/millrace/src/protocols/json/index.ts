import { type ProtocolCode, readChoice } from '../port/index.ts'
import { jsonDialect } from './json-dialect.ts'

export { jsonDialect } from './json-dialect.ts'
export type { JsonDialectOptions } from './json-dialect.ts'

/** The code of the protocol `json`. */
export const code: ProtocolCode = {
  format: (query) => jsonDialect(readChoice(query, 'extensions', ['all', 'none'])),
}
