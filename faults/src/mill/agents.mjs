// The agents of the servers of the trials: plain JavaScript, as the command loads it in production.
import { appendFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { createAgent, defineFrontendTool, defineTool } from 'millrace/agent'
import { fromProducer } from 'millrace/adapters'
import { anthropic } from 'millrace/anthropic'
import { createForeman } from '../retries/create-foreman.mjs'

const { FAULTS_MODEL_URL: baseURL, FAULTS_LEASE_MS: leaseMs } = process.env
const { FAULTS_DIE_AFTER: dieAfterStart, FAULTS_TOOL_MS: toolMs = '0' } = process.env
const { FAULTS_LIMITS: limits = '{}', FAULTS_SHIPPED: shipped } = process.env
const { FAULTS_KEEP_RUNS: keepRuns } = process.env

/**
 * Adds to each model request the time at which it was passed to `fetch`, by a clock that all
 * processes of the machine share.
 */
const stampedFetch = (url, init) => {
  const headers = new Headers(init.headers)
  headers.set('x-trial-sent', String(process.hrtime.bigint()))
  return fetch(url, { ...init, headers })
}
const model = anthropic('emulated', { baseURL, apiKey: 'none', fetch: stampedFetch })

const grind = defineTool({
  name: 'grind',
  description: 'Grinds grain',
  input: { type: 'object', properties: { sacks: { type: 'integer' } }, required: ['sacks'] },
  // Repeated if a crash has left its outcome unknown, so that a run ends as without the fault.
  idempotent: true,
  run: async ({ sacks }) => {
    // Of two concurrent calls, one ends while the other still runs.
    if (Number(toolMs) > 0) await setTimeout(Number(toolMs) * (2 - (sacks % 2)))
    return `flour of ${String(sacks)} sacks`
  },
})

const ship = defineTool({
  name: 'ship',
  description: 'Ships flour',
  input: { type: 'object', properties: { sacks: { type: 'integer' } }, required: ['sacks'] },
  needsApproval: true,
  run: (_input, { callId }) => {
    // Written before anything else can happen: the tool of a killed server has run.
    if (shipped !== undefined) appendFileSync(shipped, `${callId}\n`)
    return 'shipped'
  },
})

const chooseGrain = defineFrontendTool({
  name: 'choose_grain',
  description: 'Asks which grain to use',
  input: { type: 'object', properties: {} },
})

export const agents = {
  miller: createAgent({ name: 'miller', model, tools: [grind, ship, chooseGrain] }),
  far: fromProducer({ name: 'far' }),
  foreman: createForeman({ baseURL, idleTimeoutMs: 60_000 }),
  // For models that stall. A busy machine must not be mistaken for a silent model.
  hasty: createForeman({ baseURL, idleTimeoutMs: 1_500 }),
}

export const defaultAgent = 'miller'

// The number of frames that this server still stores before it dies like by kill -9.
let left = Number(dieAfterStart ?? Infinity)
process.on('message', ({ dieAfter }) => {
  left = dieAfter
})
process.channel?.unref()

const mortality = {
  appended: ({ lines }) => {
    left -= lines
    if (left <= 0) process.kill(process.pid, 'SIGKILL')
  },
}

export const options = {
  observers: [mortality],
  ...(keepRuns !== undefined && { keep: { runs: Number(keepRuns) } }),
  limits: { leaseMs: Number(leaseMs), maxActiveRuns: 10_000, ...JSON.parse(limits) },
}
