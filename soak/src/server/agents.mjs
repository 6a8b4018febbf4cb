// The module that `millrace serve` loads in the measured process. Plain JavaScript, so that every Node release runs it on the built library.
import { createAgent, defineFrontendTool, defineTool } from 'millrace/agent'
import { anthropic } from 'millrace/anthropic'
import { openStore } from 'millrace/node'
import { openai } from 'millrace/openai'
import { takeSample } from './take-sample.mjs'

const { SOAK_ADAPTER, SOAK_MODEL_URL, SOAK_STORE, SOAK_STALL_MS } = process.env

const adapters = {
  anthropic: (options) => anthropic('emulated', { baseURL: SOAK_MODEL_URL, ...options }),
  openai: (options) => openai('emulated', { baseURL: `${SOAK_MODEL_URL}/v1`, ...options }),
}
// Every failure reaches the agent: the SDK itself makes no second request.
const createModel = (options) =>
  adapters[SOAK_ADAPTER]({ apiKey: 'none', maxRetries: 0, ...options })

const objectSchema = { type: 'object', properties: {} }
const grind = defineTool({
  name: 'grind',
  description: 'Grinds grain',
  input: objectSchema,
  run: () => 'flour',
})
const burn = defineTool({
  name: 'burn',
  description: 'Burns chaff',
  input: objectSchema,
  needsApproval: true,
  run: () => 'ash',
})
const ask = defineFrontendTool({ name: 'ask', description: 'Asks a user', input: objectSchema })

// A busy machine may lose a connection besides those that are cut on purpose.
const attempts = { retries: 5, retryDelayMs: 1 }
const shared = { model: createModel({}), ...attempts, tools: [grind, burn, ask] }
const hand = createAgent({ ...shared, name: 'hand', description: 'Grinds' })

export const agents = {
  miller: createAgent({ ...shared, name: 'miller', subagents: [hand] }),
  // Aborts a silent model soon; only stalled streams use it.
  hasty: createAgent({ ...shared, name: 'hasty', model: createModel({ idleTimeoutMs: 300 }) }),
}
export const defaultAgent = 'miller'

const store = await openStore(SOAK_STORE)
export const options = { store, limits: { stallTimeoutMs: Number(SOAK_STALL_MS) } }
export const close = () => store.close()

const LONG_LINES = 8_000
const encoder = new TextEncoder()

/** Stores a session with a log of 8 MB. */
async function fill(session) {
  const { epoch } = await store.open(session)
  for (let tail = 0; tail < LONG_LINES;) {
    const envelope = { type: 'text', agent: session, final: false, delta: 'grain '.repeat(160) }
    const lines = Array.from({ length: 100 }, () => encoder.encode(JSON.stringify(envelope)))
    tail = await store.append({ session, epoch, tail, lines })
  }
}

const commands = {
  sample: takeSample,
  fill,
  /** Deletes sessions, so that stored sessions do not count as growth. */
  remove: async (sessions) => {
    for (const session of sessions) await store.remove(session)
  },
}

async function answer({ number, command, argument }) {
  try {
    process.send({ number, result: await commands[command](argument) })
  } catch (error) {
    process.send({ number, error: String(error) })
  }
}

process.on('message', (call) => void answer(call))
// The measuring process has ended.
process.on('disconnect', () => process.exit())
process.channel?.unref()
