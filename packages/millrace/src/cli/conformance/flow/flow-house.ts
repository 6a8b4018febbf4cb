import type { Violation } from '../../../envelope/index.ts'
import { serve } from '../../../node/index.ts'
import { createHandler } from '../../../server/index.ts'
import { createMemoryStore, type Store } from '../../../store/index.ts'
import { toRootAgent } from './flow-agents.ts'
import type { FlowInput } from './flow-input.ts'
import { type FlowModels, openModels } from './flow-models.ts'
import type { ToolLog } from './flow-tools.ts'

/** The server of one case, on real sockets, with its models. */
export interface FlowHouse {
  readonly url: string
  readonly models: FlowModels
  readonly store: Store
  readonly tools: ToolLog
  readonly violations: readonly Violation[]
  /** What the server and its agents kept to themselves. */
  readonly errors: readonly unknown[]
  /** Lets the tools answer. */
  releaseTools(): void
  /** Whether the store fails to load sessions. */
  breakStore(isBroken: boolean): void
  close(): Promise<void>
}

/** Starts the server of a case; its tools may answer once they are released. */
export async function openFlowHouse(input: FlowInput): Promise<FlowHouse> {
  const violations: Violation[] = []
  const tools: ToolLog = { runs: [], running: 0, maxConcurrent: 0 }
  let releaseTools = (): void => {}
  const mayAnswer = new Promise<void>((resolve) => (releaseTools = resolve))
  const models = await openModels()
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const store = createMemoryStore()
  let isBroken = false
  const handler = createHandler({
    agents: { root: toRootAgent(input, { models, log: tools, mayAnswer, onError }) },
    defaultAgent: 'root',
    store: {
      ...store,
      info: async (session) => {
        if (isBroken) throw new Error('The disk does not answer.')
        return store.info(session)
      },
    },
    onError,
    onViolation: (violation) => violations.push(violation),
  })
  const server = await serve({ handler, port: 0, closeGraceMs: 500 })
  return {
    url: server.url,
    models,
    store,
    tools,
    violations,
    errors,
    releaseTools,
    breakStore: (isNow) => void (isBroken = isNow),
    close: async () => {
      await server.close()
      await models.close()
      await store.close()
    },
  }
}
