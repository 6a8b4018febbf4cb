import { createHandler, type Handler } from 'millrace/server'
import { createWorkingAgent } from '../sessions/working-agent.ts'
import type { ForkStore } from './fork-stores.ts'

/** Runs of the session, the steps of each, and the pieces of text of each step: 100,000 frames with a cut for each step and run. */
const RUNS = 10
const STEPS = 100
const PIECES = 94
/** With results of this length, the session has 2 MB of conversation. */
const RESULT_CHARS = 2_000
const SESSION = '00000000-0000-4000-8000-000000000001'
const ANNOUNCED = 3

/** A session that is forked over HTTP. */
interface RouteStand {
  /** Number of frames of the session. */
  readonly frames: number
  /** Forks it at a frame, or, if a step would be split, at the nearest earlier valid one; returns the milliseconds of all requests. */
  fork(frame: number): Promise<number>
  close(): Promise<void>
}

/** Fills a session with the runs of an agent, and opens a handler for its branches. */
export async function openRouteStand({ store, close }: ForkStore): Promise<RouteStand> {
  const agents = { worker: createWorkingAgent({ resultChars: RESULT_CHARS, pieces: PIECES }) }
  const handler = createHandler({ agents, defaultAgent: 'worker', store })
  for (let run = 0; run < RUNS; run++) {
    const prompt = { agent_uuid: SESSION, user_prompt: String(STEPS) }
    await (await post(handler, '/agent/run', prompt)).text()
  }
  const frames = (await store.info(SESSION))?.tail ?? 0
  const check = async (branch: string, after: number): Promise<void> => {
    const from = Math.max(0, after - ANNOUNCED)
    const [whole, own] = [
      await store.read(SESSION, from, after - from),
      await store.read(branch, from, after - from),
    ].map((page) => page.map(({ line }) => Buffer.from(line).toString()))
    if (JSON.stringify(whole) !== JSON.stringify(own))
      throw new Error(`A fork over HTTP at ${after} is wrong.`)
  }
  return {
    frames,
    fork: async (frame) => {
      const branch = crypto.randomUUID()
      const start = performance.now()
      const after = await requestFork(handler, { after: frame, branch_uuid: branch })
      const ms = performance.now() - start
      // The server ends the branch's run after its answer; the next fork is measured without that.
      while (handler.activity().runs > 0) await new Promise((resolve) => setTimeout(resolve, 1))
      await check(branch, after)
      return ms
    },
    close: async () => {
      await handler.close()
      await close()
    },
  }
}

async function requestFork(
  handler: Handler,
  body: { readonly after: number; readonly branch_uuid: string },
): Promise<number> {
  const response = await post(handler, `/agent/${SESSION}/fork`, body)
  const answer = (await response.json()) as {
    readonly after?: number
    readonly error?: { readonly before?: number }
  }
  if (response.ok && answer.after === body.after) return answer.after
  const before = answer.error?.before
  if (response.status !== 409 || before === undefined || before >= body.after)
    throw new Error(`A fork was answered ${response.status}: ${JSON.stringify(answer)}`)
  return requestFork(handler, { ...body, after: before })
}

function post(handler: Handler, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return handler.fetch(
    new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
  )
}
