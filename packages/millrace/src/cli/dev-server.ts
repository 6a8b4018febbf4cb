import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { anthropic, anthropicFiles } from '../anthropic/index.ts'
import { createEmulator, type Pace } from '../emulator/index.ts'
import type { Violation } from '../envelope/index.ts'
import type { Model } from '../events/index.ts'
import { createProcessOwner, openStore, serve } from '../node/index.ts'
import {
  type Activity,
  createHandler,
  type FileSource,
  type ServerObserver,
} from '../server/index.ts'
import { createDemoAgent } from './demo-agent.ts'
import { openDemoWorkspace } from './demo-workspace.ts'
import { createHandOverCount } from './hand-over.ts'
import { type ClosePart, openParts } from './open-parts.ts'

/** What a development server is made of. */
export interface DevServerOptions {
  readonly port: number
  readonly host: string
  /** Names besides that host, `localhost` and plain addresses under which the server answers. */
  readonly allowedHosts?: readonly string[]
  /** With a key the real API answers, without one the emulator. */
  readonly apiKey?: string
  readonly modelId: string
  readonly pace: Pace | 'instant'
  readonly toolDelayMs?: number
  /** Where sessions are kept; in memory unless given. */
  readonly storeAddress?: string
  readonly version?: string
  readonly onError: (error: unknown) => void
  readonly onViolation: (violation: Violation) => void
}

/** A development server that runs. */
export interface DevServer {
  readonly url: string
  /** Whether the page is served; it is not where it was never built. */
  readonly hasStudio: boolean
  /** The folder that the demo agent works in; gone when the server closes. */
  readonly workspace: string
  /** Whether sessions outlive the process. */
  readonly isDurable: boolean
  /** The sessions whose runs it carries on for a server that has stopped before their end. */
  readonly recovered: readonly string[]
  activity(): Activity
  /** Resolves with the number of runs that were left for the next start. */
  close(): Promise<number>
}

/** Where the build puts the page, beside `dist` and `src` alike. */
const studioFolder = fileURLToPath(new URL('../../studio/', import.meta.url))

/** Starts the page, the API and the demo agent, and carries on what an earlier one has left. */
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
  const { host, port, onError, onViolation, toolDelayMs, allowedHosts: more = [] } = options
  const { storeAddress = 'memory:', version } = options
  const store = await openStore(storeAddress, { onError, exclusive: true })
  onClose(store.close)
  const workspace = await openDemoWorkspace()
  onClose(workspace.close)
  const { model, files, close: closeModel } = await openModel(options)
  onClose(closeModel)
  const delay = toolDelayMs === undefined ? {} : { toolDelayMs }
  const handler = createHandler({
    agents: { demo: createDemoAgent({ model, files, workspace, onError, ...delay }) },
    defaultAgent: 'demo',
    store,
    files,
    allowedHosts: [host, ...more],
    ...createProcessOwner(),
    ...(version !== undefined && { version }),
    observers: [observer],
    onError,
    onViolation,
  })
  const hasStudio = existsSync(`${studioFolder}index.html`)
  const page = hasStudio ? { page: studioFolder } : {}
  const { url, close } = await serve({ handler, port, host, recovers: false, ...page })
  onClose(close)
  const recovered = await handler.recover()
  const { isDurable } = store
  const { activity } = handler
  return { url, hasStudio, workspace: workspace.root, isDurable, recovered, activity }
}

interface OpenModel {
  readonly model: Model
  readonly files: FileSource
  readonly close: () => Promise<void>
}

async function openModel({ apiKey, modelId, pace }: DevServerOptions): Promise<OpenModel> {
  if (apiKey !== undefined) {
    const real = { model: anthropic(modelId, { apiKey }), files: anthropicFiles({ apiKey }) }
    return { ...real, close: async () => {} }
  }
  // Over a real socket, so that what is tried here is what happens with the real API.
  const emulator = await serve({ handler: createEmulator({ pace }), port: 0, closeGraceMs: 100 })
  const access = { baseURL: emulator.url, apiKey: 'no-key-needed' }
  const { close } = emulator
  return { model: anthropic('emulator', access), files: anthropicFiles(access), close }
}
