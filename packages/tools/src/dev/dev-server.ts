import type { Violation } from 'millrace'
import { createProcessOwner, openStore, serve } from 'millrace/node'
import type { Activity, Keep, ServerObserver } from 'millrace/server'
import { createHandOverCount } from '../cli/hand-over.ts'
import { type DemoOptions, openDemo } from '../demo/open-demo.ts'
import { type ClosePart, openParts } from '../cli/open-parts.ts'
import { createAgentHandler } from '../serve/create-agent-handler.ts'
import { describeSessions } from '../serve/describe-sessions.ts'
import { checkAlone } from '../serve/exposure.ts'
import { loadAgents, type LoadedAgents } from '../serve/load-agents.ts'
import { findStudio } from './studio-folder.ts'

/** What a development server is made of. */
export interface DevServerOptions extends DemoOptions {
  /** The module whose agents are served; the demo agent unless given. */
  readonly file?: string
  readonly port: number
  readonly host: string
  /** Names besides that host, `localhost` and plain addresses under which the server answers. */
  readonly allowedHosts?: readonly string[]
  /** Where sessions are kept; in memory unless given. */
  readonly storeAddress?: string
  /** What is kept of sessions. */
  readonly keep?: Keep
  readonly version?: string
  readonly onViolation: (violation: Violation) => void
}

/** A development server that runs. */
export interface DevServer extends Pick<LoadedAgents, 'agents' | 'defaultAgent'> {
  readonly url: string
  /** Whether the page is served; it is not where it was never built. */
  readonly hasStudio: boolean
  /** The folder that the demo agent works in; gone when the server closes. */
  readonly workspace?: string
  /** Where sessions are, for people. */
  readonly sessions: string
  /** Whether sessions outlive the process. */
  readonly isDurable: boolean
  /** The sessions whose runs it carries on for a server that has stopped before their end. */
  readonly recovered: readonly string[]
  activity(): Activity
  /** Resolves with the number of runs that were left for the next start. */
  close(): Promise<number>
}

/** Starts the page, the API and the agents of a module or the demo agent, and carries on what an earlier one has left. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const handedOver = createHandOverCount()
  const { opened, close } = await openParts((onClose) =>
    openAll(options, onClose, handedOver.observer),
  )
  return {
    ...opened,
    close: async () => {
      await close()
      return handedOver.count()
    },
  }
}

/** Opens one part after the other and notes how each is closed. */
async function openAll(
  options: DevServerOptions,
  onClose: (close: ClosePart) => void,
  observer: ServerObserver,
): Promise<Omit<DevServer, 'close'>> {
  const { host, port, onError, onViolation, allowedHosts = [], version } = options
  const { storeAddress = 'memory:', keep = {} } = options
  const loaded = await openAgents(options, onClose)
  const store =
    loaded.options.store ?? (await openStore(storeAddress, { onError, exclusive: true }))
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
