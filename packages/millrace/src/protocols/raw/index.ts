import type { ProtocolCode } from '../port/index.ts'
import { rawDialect } from './raw-dialect.ts'

export { rawDialect } from './raw-dialect.ts'
export type { RawDialectOptions } from './raw-dialect.ts'

/** The code of the protocol `raw`. */
export const code: ProtocolCode = { format: () => rawDialect() }
