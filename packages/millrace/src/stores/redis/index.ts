export { createRedisStore } from './redis-store.ts'
export type {
  RedisAddress,
  RedisLimits,
  RedisStoreOptions,
  RedisUrl,
} from './redis-store-options.ts'
