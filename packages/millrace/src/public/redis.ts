export { createRedisStore } from '../stores/redis/index.ts'
export type {
  RedisAddress,
  RedisLimits,
  RedisStoreOptions,
  RedisUrl,
} from '../stores/redis/index.ts'
