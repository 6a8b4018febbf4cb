export { createPostgresStore } from '../stores/postgres/index.ts'
export type {
  PostgresAddress,
  PostgresLimits,
  PostgresStoreOptions,
} from '../stores/postgres/index.ts'
