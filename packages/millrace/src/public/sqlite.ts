export type { Synchronous } from '../stores/sqlite/file/open-writer.ts'
export type { SqliteStoreOptions } from '../stores/sqlite/sqlite-store-options.ts'
export { createSqliteStore } from '../stores/sqlite/sqlite-store.ts'
