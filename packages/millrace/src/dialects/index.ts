export type { Dialect, DialectFrame, DialectReader, DialectWriter, StreamEnd } from './dialect.ts'
export { dialects } from './dialects.ts'
export type { CreateDialect } from './dialects.ts'
