export { type PostgresServer, postgresMissing, startPostgres } from './postgres-server.ts'
export {
  type ReplicatedRedis,
  startRedisSentinels,
  startReplicatedCluster,
} from './redis-replicas.ts'
export { redisMissing, type RedisServer, startRedis } from './redis-server.ts'
export {
  type OpenedStore,
  presentStores,
  type StoreAddress,
  type StoreKind,
  storeKinds,
  type StoreName,
} from './store-kinds.ts'
