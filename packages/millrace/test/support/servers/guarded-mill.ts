import { fileURLToPath } from 'node:url'
import { anthropic } from '../../../src/models/anthropic/anthropic.ts'
import { anthropicFiles } from '../../../src/models/anthropic/anthropic-files.ts'
import { serve } from '../../../src/node/serve.ts'
import { createHandler } from '../../../src/server/handler.ts'
import type { HandlerOptions } from '../../../src/server/handler-options.ts'
import { createDemoAgent } from '../../../../tools/src/demo/demo-agent.ts'
import { openDemoWorkspace } from '../../../../tools/src/demo/demo-workspace.ts'
import { createEmulator } from 'millrace-tools/emulator'
import { createMemoryStore } from '../../../src/stores/memory/index.ts'

/** A server with the demo agent that requires authorization. */
export interface GuardedMill {
  readonly url: string
  readonly close: () => Promise<void>
}

/** The clients that may use a {@link GuardedMill}. */
type MillGuard = Pick<HandlerOptions, 'token' | 'allowedOrigins'>

/** The folder of the built page. */
const studioFolder = fileURLToPath(new URL('../../../../tools/studio/', import.meta.url))

/** Starts a {@link GuardedMill}, which serves the page to any client. */
export async function startGuardedMill(guard: MillGuard): Promise<GuardedMill> {
  const emulator = await serve({
    handler: createEmulator({ pace: 'instant' }),
    port: 0,
    closeGraceMs: 100,
  })
  const access = { baseURL: emulator.url, apiKey: 'no-key-needed' }
  const files = anthropicFiles(access)
  const workspace = await openDemoWorkspace()
  const model = anthropic('emulator', access)
  const handler = createHandler({
    agents: { demo: createDemoAgent({ model, files, workspace, toolDelayMs: 10 }) },
    defaultAgent: 'demo',
    store: createMemoryStore(),
    files,
    version: '9.8.7',
    ...guard,
  })
  const server = await serve({ handler, port: 0, closeGraceMs: 100, page: studioFolder })
  return {
    url: server.url,
    close: async () => {
      await server.close()
      await workspace.close()
      await emulator.close()
    },
  }
}
