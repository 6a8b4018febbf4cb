export { uiMessagesDialect } from './ai-sdk/index.ts'
export type { Dialect, DialectFrame, DialectReader, DialectWriter, StreamEnd } from './dialect.ts'
export { createAiSdk, dialects } from './dialects.ts'
export type { CreateDialect } from './dialects.ts'
