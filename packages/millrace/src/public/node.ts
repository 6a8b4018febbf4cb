export { listen, type ListenOptions, type RunningServer } from '../node/listen.ts'
export {
  openServerLog,
  type LogLevel,
  type ServerLog,
  type ServerLogOptions,
} from '../node/log/server-log.ts'
export {
  decodeStoreAddress,
  DEFAULT_STORE,
  describeStore,
  openStore,
  type OpenStoreOptions,
  type StoreAddress,
} from '../node/open-store.ts'
export { createProcessOwner, type ProcessOwner } from '../node/process-owner.ts'
export type { ServeLimits } from '../node/connections/connections.ts'
export { serve, type ServeOptions, type Served } from '../node/serve.ts'
export type { ServedRequest } from '../node/served-request.ts'
