// What the servers of the trials serve: plain JavaScript, as the command reads it in production.
import { setTimeout } from 'node:timers/promises'
import { createAgent, defineFrontendTool, defineTool } from 'millrace/agent'
import { anthropic } from 'millrace/anthropic'

const { FAULTS_MODEL_URL: baseURL, FAULTS_LEASE_MS: leaseMs } = process.env
const { FAULTS_DIE_AFTER: dieAfterStart, FAULTS_TOOL_MS: toolMs = '0' } = process.env
const model = anthropic('emulated', { baseURL, apiKey: 'none' })

const grind = defineTool({
  name: 'grind',
  description: 'Grinds grain',
  input: { type: 'object', properties: { sacks: { type: 'integer' } }, required: ['sacks'] },
  // Ran once more where a crash has left its outcome unknown, so that a run ends as it would have.
  idempotent: true,
  run: async ({ sacks }) => {
    // Of two calls at once one is done while the other still runs.
    if (Number(toolMs) > 0) await setTimeout(Number(toolMs) * (2 - (sacks % 2)))
    return `flour of ${String(sacks)} sacks`
  },
})

const chooseGrain = defineFrontendTool({
  name: 'choose_grain',
  description: 'Asks which grain to use',
  input: { type: 'object', properties: {} },
})

export const agents = {
  miller: createAgent({ name: 'miller', model, tools: [grind, chooseGrain] }),
}

// How many more messages this server stores before it dies as if by kill -9.
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
  limits: { leaseMs: Number(leaseMs), maxActiveRuns: 10_000 },
}
