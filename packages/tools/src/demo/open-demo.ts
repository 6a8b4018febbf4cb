import { anthropic, anthropicFiles, type Model } from 'millrace/anthropic'
import { createEmulator, type Pace } from '../emulator/index.ts'
import { serve } from 'millrace/node'
import type { FileSource } from 'millrace/server'
import { createDemoAgent } from './demo-agent.ts'
import { openDemoWorkspace } from './demo-workspace.ts'
import type { ClosePart } from '../cli/open-parts.ts'
import type { LoadedAgents } from '../serve/load-agents.ts'

/** Options of the demo. */
export interface DemoOptions {
  /** The key of the real API; without one the emulator is used. */
  readonly apiKey?: string
  readonly modelId: string
  readonly pace: Pace | 'instant'
  readonly toolDelayMs?: number
  readonly onError: (error: unknown) => void
}

/** The demo agent, in the form of a loaded module, and its folder. */
interface OpenDemo extends Omit<LoadedAgents, 'close'> {
  readonly workspace: string
}

/** Opens the demo agent with its model and its folder, and registers how each is closed. */
export async function openDemo(
  options: DemoOptions,
  onClose: (close: ClosePart) => void,
): Promise<OpenDemo> {
  const { onError, toolDelayMs } = options
  const workspace = await openDemoWorkspace()
  onClose(workspace.close)
  const { model, files, close } = await openModel(options)
  onClose(close)
  const delay = toolDelayMs === undefined ? {} : { toolDelayMs }
  return {
    agents: { demo: createDemoAgent({ model, files, workspace, onError, ...delay }) },
    defaultAgent: 'demo',
    options: { files },
    workspace: workspace.root,
  }
}

interface OpenModel {
  readonly model: Model
  readonly files: FileSource
  readonly close: () => Promise<void>
}

async function openModel({ apiKey, modelId, pace }: DemoOptions): Promise<OpenModel> {
  if (apiKey !== undefined) {
    const real = { model: anthropic(modelId, { apiKey }), files: anthropicFiles({ apiKey }) }
    return { ...real, close: async () => {} }
  }
  // Over a real socket, so that the demo behaves like the real API.
  const emulator = await serve({ handler: createEmulator({ pace }), port: 0, closeGraceMs: 100 })
  const access = { baseURL: emulator.url, apiKey: 'no-key-needed' }
  const { close } = emulator
  return { model: anthropic('emulator', access), files: anthropicFiles(access), close }
}
