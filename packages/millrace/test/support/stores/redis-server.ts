export {
  redisMissing,
  type RedisServer,
  startRedis,
} from '../../../../../bench/src/servers/redis-server.ts'
export {
  startRedisCluster,
  startRedisMasters,
} from '../../../../../bench/src/servers/redis-cluster.ts'
export {
  startRedisSentinels,
  startReplicatedCluster,
} from '../../../../../bench/src/servers/redis-replicas.ts'
