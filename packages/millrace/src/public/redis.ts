export type {
  RedisAddress,
  RedisLimits,
  RedisStoreOptions,
  RedisUrl,
} from '../stores/redis/redis-store-options.ts'
export { createRedisStore } from '../stores/redis/redis-store.ts'
