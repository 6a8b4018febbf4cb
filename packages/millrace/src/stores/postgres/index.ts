export { createPostgresStore } from './postgres-store.ts'
