import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { anthropic } from '../anthropic/index.ts'
import { createEmulator, type Pace } from '../emulator/index.ts'
import type { Violation } from '../envelope/index.ts'
import type { Model } from '../events/index.ts'
import { type RunningServer, serve } from '../node/index.ts'
import { createHandler } from '../server/index.ts'
import { createMemoryStore } from '../store/index.ts'
import { createDemoAgent } from './demo-agent.ts'

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
  readonly onError: (error: unknown) => void
  readonly onViolation: (violation: Violation) => void
}

/** A development server that runs. */
export interface DevServer {
  readonly url: string
  /** Whether the page is served; it is not where it was never built. */
  readonly hasStudio: boolean
  close(): Promise<void>
}

/** Where the build puts the page, beside `dist` and `src` alike. */
const studioFolder = fileURLToPath(new URL('../../studio/', import.meta.url))

/** Starts the page, the API and the demo agent, with sessions in memory. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { host, port, onError, onViolation, toolDelayMs, allowedHosts: more = [] } = options
  const { model, close: closeModel } = await openModel(options)
  const delay = toolDelayMs === undefined ? {} : { toolDelayMs }
  const agents = { demo: createDemoAgent({ model, onError, ...delay }) }
  const store = createMemoryStore()
  const allowedHosts = [host, ...more]
  const handler = createHandler({
    agents,
    defaultAgent: 'demo',
    store,
    allowedHosts,
    onError,
    onViolation,
  })
  const hasStudio = existsSync(`${studioFolder}index.html`)
  const server = await startServer().catch(async (error: unknown) => {
    await closeModel()
    throw error
  })

  function startServer(): Promise<RunningServer> {
    return serve({ handler, port, host, ...(hasStudio ? { studio: studioFolder } : {}) })
  }

  return {
    url: server.url,
    hasStudio,
    close: async () => {
      await server.close()
      await closeModel()
      await store.close()
    },
  }
}

interface OpenModel {
  readonly model: Model
  readonly close: () => Promise<void>
}

async function openModel({ apiKey, modelId, pace }: DevServerOptions): Promise<OpenModel> {
  if (apiKey !== undefined) return { model: anthropic(modelId, { apiKey }), close: async () => {} }
  // Over a real socket, so that what is tried here is what happens with the real API.
  const emulator = await serve({ handler: createEmulator({ pace }), port: 0, closeGraceMs: 100 })
  const model = anthropic('emulator', { baseURL: emulator.url, apiKey: 'no-key-needed' })
  return { model, close: emulator.close }
}
