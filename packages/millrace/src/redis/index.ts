export { createRedisStore } from './redis-store.ts'
export type { RedisAddress, RedisLimits, RedisStoreOptions } from './redis-store-options.ts'
