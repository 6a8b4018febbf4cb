export type { Synchronous } from './file/open-writer.ts'
export { createSqliteStore } from './sqlite-store.ts'
export type { SqliteStoreOptions } from './sqlite-store-options.ts'
