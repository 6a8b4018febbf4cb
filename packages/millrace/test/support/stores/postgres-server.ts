export {
  type Pooler,
  poolerMissing,
  postgresMissing,
  type PostgresServer,
  startPooler,
  startPostgres,
} from '../../../../../bench/src/servers/postgres-server.ts'
