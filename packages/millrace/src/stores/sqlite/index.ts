export { createSqliteStore } from './sqlite-store.ts'
