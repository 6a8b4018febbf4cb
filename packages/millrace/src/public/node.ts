export {
  DEFAULT_STORE,
  createProcessOwner,
  decodeStoreAddress,
  describeStore,
  listen,
  openServerLog,
  openStore,
  serve,
} from '../node/index.ts'
export type {
  ListenOptions,
  LogLevel,
  OpenStoreOptions,
  ProcessOwner,
  RunningServer,
  ServeLimits,
  ServeOptions,
  Served,
  ServedRequest,
  ServerLog,
  ServerLogOptions,
  StoreAddress,
} from '../node/index.ts'
