import type { Agent } from '../../../src/agent/port/agent.ts'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { anthropic } from '../../../src/models/anthropic/anthropic.ts'
import { anthropicFiles } from '../../../src/models/anthropic/anthropic-files.ts'
import { serve } from '../../../src/node/serve.ts'
import { createHandler } from '../../../src/server/handler.ts'
import type { HandlerOptions } from '../../../src/server/handler-options.ts'
import { createDemoAgent } from '../../../../tools/src/demo/demo-agent.ts'
import { openDemoWorkspace } from '../../../../tools/src/demo/demo-workspace.ts'
import { createEmulator, type Pace, type Scenario } from 'millrace-tools/emulator'
import type { Violation } from '../../../src/events/index.ts'
import { createMemoryStore } from '../../../src/stores/memory/index.ts'
import type { Tool } from '../../../src/tools/index.ts'

/** The options of a test server that differ from `millrace dev`. */
export interface TestServerOptions extends Partial<HandlerOptions> {
  readonly pace?: Pace | 'instant'
  readonly scenarios?: readonly Scenario[]
  /** The tools of an agent `custom` beside the demo agent, on the same emulated model. */
  readonly tools?: readonly Tool[]
  /** Whether it recovers runs of an earlier server on the store. */
  readonly recovers?: boolean
}

/** A whole server over real sockets: emulated model, agent, log, HTTP. */
export interface TestServer {
  readonly url: string
  /** The working folder of the demo agent. */
  readonly workspace: string
  /** The internal errors of the server. */
  readonly errors: readonly unknown[]
  readonly violations: readonly Violation[]
  readonly close: () => Promise<void>
}

/** Starts a {@link TestServer}; every line that it writes is verified. */
export async function openTestServer({
  pace = 'instant',
  scenarios,
  tools = [],
  agents = {},
  recovers = false,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const errors: unknown[] = []
  const violations: Violation[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const emulator = createEmulator({ pace, seed: 'e2e', ...(scenarios ? { scenarios } : {}) })
  const modelServer = await serve({ handler: emulator, port: 0, closeGraceMs: 50 })
  const access = { baseURL: modelServer.url, apiKey: 'none' }
  const model = anthropic('emulator', { ...access, maxRetries: 0 })
  const workspace = await openDemoWorkspace()
  const files = anthropicFiles(access)
  const demo = createDemoAgent({ model, workspace, files, toolDelayMs: 4, onError })
  const custom = createAgent({ name: 'custom', model, tools, onError })
  const handler = createHandler({
    defaultAgent: 'demo',
    store: createMemoryStore(),
    files,
    onError,
    onViolation: (violation) => violations.push(violation),
    ...options,
    agents: { demo, custom, ...agents },
  })
  if (recovers) await handler.recover()
  const server = await serve({ handler, port: 0, closeGraceMs: 500 })
  const close = async (): Promise<void> => {
    await server.close()
    await modelServer.close()
    await workspace.close()
  }
  return { url: server.url, workspace: workspace.root, errors, violations, close }
}

/** An agent made of a function, for behavior that no model has. */
export function toAgent(run: Agent['run']): Agent {
  return { name: 'double', run }
}
