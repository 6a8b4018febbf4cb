export {
  redisMissing,
  type RedisServer,
  startRedis,
} from '../../packages/millrace/test/support/redis-server.ts'
