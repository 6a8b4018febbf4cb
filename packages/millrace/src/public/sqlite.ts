export { createSqliteStore } from '../stores/sqlite/index.ts'
export type { SqliteStoreOptions, Synchronous } from '../stores/sqlite/index.ts'
