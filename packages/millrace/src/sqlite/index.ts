export type { Synchronous } from './open-writer.ts'
export { createSqliteStore } from './sqlite-store.ts'
export type { SqliteStoreOptions } from './sqlite-store-options.ts'
