export { createRedisStore } from './redis-store.ts'
