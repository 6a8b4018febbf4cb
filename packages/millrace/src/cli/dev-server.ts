import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { anthropic, anthropicFiles } from '../anthropic/index.ts'
import { createEmulator, type Pace } from '../emulator/index.ts'
import type { Violation } from '../envelope/index.ts'
import type { Model } from '../events/index.ts'
import { serve } from '../node/index.ts'
import { createHandler } from '../server/index.ts'
import { createMemoryStore } from '../store/index.ts'
import { createDemoAgent } from './demo-agent.ts'
import { type FileSource, openDemoWorkspace } from './demo-workspace.ts'

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
  /** The folder that the demo agent works in; gone when the server closes. */
  readonly workspace: string
  close(): Promise<void>
}

/** Where the build puts the page, beside `dist` and `src` alike. */
const studioFolder = fileURLToPath(new URL('../../studio/', import.meta.url))

/** Starts the page, the API and the demo agent, with sessions in memory. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const closing: (() => Promise<void>)[] = []
  const closeAll = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close()
  }
  try {
    return { ...(await openAll(options, closing)), close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Opens one part after the other and notes how each is closed. */
async function openAll(
  options: DevServerOptions,
  closing: (() => Promise<void>)[],
): Promise<Omit<DevServer, 'close'>> {
  const { host, port, onError, onViolation, toolDelayMs, allowedHosts: more = [] } = options
  const store = createMemoryStore()
  closing.push(store.close)
  const workspace = await openDemoWorkspace()
  closing.push(workspace.close)
  const { model, files, close: closeModel } = await openModel(options)
  closing.push(closeModel)
  const delay = toolDelayMs === undefined ? {} : { toolDelayMs }
  const handler = createHandler({
    agents: { demo: createDemoAgent({ model, files, workspace, onError, ...delay }) },
    defaultAgent: 'demo',
    store,
    allowedHosts: [host, ...more],
    onError,
    onViolation,
  })
  const hasStudio = existsSync(`${studioFolder}index.html`)
  const studio = hasStudio ? { studio: studioFolder } : {}
  const { url, close } = await serve({ handler, port, host, ...studio })
  closing.push(close)
  return { url, hasStudio, workspace: workspace.root }
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
