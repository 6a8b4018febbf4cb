import type { Violation } from 'millrace'
import { createProcessOwner, openStore, serve } from 'millrace/node'
import type { Activity, Keep, ServerObserver } from 'millrace/server'
import { createHandOffCount } from '../cli/hand-off.ts'
import { type DemoOptions, openDemo } from '../demo/open-demo.ts'
import { type ClosePart, openParts } from '../cli/open-parts.ts'
import { createAgentHandler, describeSessions } from '../serve/create-agent-handler.ts'
import { checkAlone } from '../serve/exposure.ts'
import { loadAgents, type LoadedAgents } from '../serve/load-agents.ts'
import { findStudio } from './studio-folder.ts'

interface DevServerOptions extends DemoOptions {
  /** The module with the agents; the demo agent if absent. */
  readonly file?: string
  readonly port: number
  readonly host: string
  /** Further host names of the server, besides `host`, `localhost` and IP addresses. */
  readonly allowedHosts?: readonly string[]
  /** The address of the store; in memory if absent. */
  readonly storeAddress?: string
  /** Limits of retention. */
  readonly keep?: Keep
  readonly version?: string
  readonly onViolation: (violation: Violation) => void
}

/** A running development server. */
export interface DevServer extends Pick<LoadedAgents, 'agents' | 'defaultAgent'> {
  readonly url: string
  /** Whether Studio is served; it is not if it was never built. */
  readonly hasStudio: boolean
  /** The folder of the demo agent, which is removed when the server closes. */
  readonly workspace?: string
  /** A description of the location of sessions. */
  readonly sessions: string
  /** Whether sessions survive the process. */
  readonly isDurable: boolean
  /** The sessions whose runs it has recovered. */
  readonly recovered: readonly string[]
  activity(): Activity
  /** Resolves with the number of runs that were handed off. */
  close(): Promise<number>
}

/** Starts Studio, the API and the agents of a module or the demo agent, and recovers the runs of an earlier server. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const handedOff = createHandOffCount()
  const { opened, close } = await openParts((onClose) =>
    openAll(options, onClose, handedOff.observer),
  )
  return {
    ...opened,
    close: async () => {
      await close()
      return handedOff.count()
    },
  }
}

/** Opens the parts in sequence, and registers how each is closed. */
async function openAll(
  options: DevServerOptions,
  onClose: (close: ClosePart) => void,
  observer: ServerObserver,
): Promise<Omit<DevServer, 'close'>> {
  const { host, port, onError, onViolation, allowedHosts = [], version } = options
  const { storeAddress = 'memory:', keep = {} } = options
  const loaded = await openAgents(options, onClose)
  const store = loaded.options.store ?? (await openStore(storeAddress, { onError }))
  if (loaded.options.store === undefined) onClose(store.close)
  const handler = createAgentHandler(loaded, {
    store,
    owner: createProcessOwner(),
    allowedHosts: [host, ...allowedHosts],
    observers: [observer],
    keep,
    onError,
    onViolation,
    ...(version !== undefined && { version }),
  })
  const page = findStudio()
  const own = page === undefined ? {} : { page }
  const { url, close } = await serve({ handler, port, host, recovers: false, onError, ...own })
  onClose(close)
  const { agents, defaultAgent, workspace } = loaded
  return {
    url,
    agents,
    defaultAgent,
    hasStudio: page !== undefined,
    ...(workspace !== undefined && { workspace }),
    sessions: describeSessions(loaded.options, storeAddress),
    isDurable: store.isDurable,
    recovered: await handler.recover(),
    activity: handler.activity,
  }
}

interface OpenAgents extends Omit<LoadedAgents, 'close'> {
  readonly workspace?: string
}

async function openAgents(
  options: DevServerOptions,
  onClose: (close: ClosePart) => void,
): Promise<OpenAgents> {
  const { file, host } = options
  if (file === undefined) return openDemo(options, onClose)
  const { close, ...loaded } = await loadAgents(file)
  onClose(close)
  checkAlone(host, file, loaded.options)
  return loaded
}
