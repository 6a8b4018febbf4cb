export type { Dialect, DialectFrame, DialectReader, DialectWriter, StreamEnd } from './dialect.ts'
