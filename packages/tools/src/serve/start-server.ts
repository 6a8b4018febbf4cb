import { createProcessOwner, openServerLog, openStore, serve, type ServerLog } from 'millrace/node'
import type { ServerObserver, Store } from 'millrace/server'
import { openTelemetryMetrics } from 'millrace/telemetry'
import { createHandOffCount, describeHandedOff, describeStopping } from '../cli/hand-off.ts'
import { openParts } from '../cli/open-parts.ts'
import { readVersion } from '../cli/read-version.ts'
import { requireStudio } from '../dev/studio-folder.ts'
import { createAgentHandler, describeSessions } from './create-agent-handler.ts'
import { checkExposure } from './exposure.ts'
import { type LoadedAgents, loadAgents } from './load-agents.ts'
import type { ServeCommandOptions } from './serve-options.ts'

interface LogOutput {
  readonly isPretty: boolean
  readonly write: (line: string) => void
}

/** Serves the agents of a module, and recovers the runs of an earlier server. */
export async function startServer(
  options: ServeCommandOptions,
  output: LogOutput,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const owner = createProcessOwner()
  const log = await openLog(options, { node: owner.node, ...output })
  const handedOff = createHandOffCount()
  const { opened, close } = await openParts(async (onClose) => {
    const loaded = await loadAgents(options.file)
    onClose(loaded.close)
    checkExposure(options, loaded.options)
    const store = loaded.options.store ?? (await openOwnStore(options, log))
    if (loaded.options.store === undefined) onClose(store.close)
    const { host, port, token, allowedHosts, allowedOrigins, webhooks, keep } = options
    const handler = createAgentHandler(loaded, {
      store,
      owner,
      version: await readVersion(),
      ...(token !== undefined && { token }),
      allowedHosts: [host, ...allowedHosts],
      allowedOrigins,
      webhooks,
      keep,
      observers: [log.observer, handedOff.observer, ...(await findMetrics())],
      onError: log.onError,
    })
    const page = options.hasStudio ? requireStudio() : options.page
    const own = page === undefined ? {} : { page }
    const where = { host, port, ...own, recovers: false }
    const { onError, onRequest } = log
    const server = await serve({ handler, ...where, onError, onRequest })
    onClose(server.close)
    return { loaded, store, handler, url: server.url }
  })
  const { loaded, store, handler, url } = opened
  log.note(describeStart(url, loaded, options), { url })
  const recovered = await handler.recover()
  if (recovered.length > 0) log.note(`resumed ${count(recovered.length)} of an earlier server`)
  return {
    url,
    close: async () => {
      log.note(describeStopping(handler.activity().runs, store.isDurable))
      await close()
      log.note(describeHandedOff(handedOff.count()) ?? 'stopped')
    },
  }
}

/** Opens the store at the address. A module with its own store opens and closes that itself. */
function openOwnStore({ storeAddress }: ServeCommandOptions, log: ServerLog): Promise<Store> {
  return openStore(storeAddress, {
    onError: log.onError,
    onRestored: () => log.note('the store is available again'),
  })
}

function describeStart(
  url: string,
  { agents, options }: LoadedAgents,
  { storeAddress, hasStudio }: ServeCommandOptions,
): string {
  const studio = hasStudio ? ' with Studio' : ''
  const where = describeSessions(options, storeAddress)
  return `listening at ${url}${studio} for ${Object.keys(agents).join(', ')}; sessions ${where}`
}

function openLog(
  { token, level, logContent }: ServeCommandOptions,
  output: LogOutput & { readonly node: string },
): Promise<ServerLog> {
  const secrets = token === undefined ? [] : [token]
  return openServerLog({ ...output, level, logContent, secrets })
}

/** Opens OpenTelemetry metrics if its API is installed; without an SDK they cost next to nothing. */
async function findMetrics(): Promise<readonly ServerObserver[]> {
  try {
    return [await openTelemetryMetrics()]
  } catch {
    return []
  }
}

function count(runs: number): string {
  return runs === 1 ? 'one run' : `${runs} runs`
}
