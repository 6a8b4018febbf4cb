export type {
  PostgresAddress,
  PostgresLimits,
  PostgresStoreOptions,
} from '../stores/postgres/postgres-store-options.ts'
export { createPostgresStore } from '../stores/postgres/postgres-store.ts'
