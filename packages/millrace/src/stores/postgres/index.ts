export { createPostgresStore } from './postgres-store.ts'
export type {
  PostgresAddress,
  PostgresLimits,
  PostgresStoreOptions,
} from './postgres-store-options.ts'
