// The agents of the servers in the commands trial, on a store that fails.
import { access, appendFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { createAgent, defineFrontendTool, defineTool } from 'millrace/agent'
import { anthropic } from 'millrace/anthropic'
import { openStore } from 'millrace/node'
import { createFailingStore } from './failing-store.mjs'

const { FAULTS_MODEL_URL: baseURL, FAULTS_LEASE_MS: leaseMs } = process.env
const { FAULTS_GATES: gates, FAULTS_SHIPPED: shipped, FAULTS_STORE: address } = process.env
const { FAULTS_DROPS: drops, FAULTS_DIES: dies } = process.env
const POLL_MS = 20

const model = anthropic('emulated', { baseURL, apiKey: 'none' })
const nothing = { type: 'object', properties: {} }

const hold = defineTool({
  name: 'hold',
  description: 'Waits until the trial opens the gate of the session',
  input: nothing,
  idempotent: true,
  run: async (_input, { agent, signal }) => {
    const gate = `${gates}/${agent.split('.')[0]}`
    const isOpen = () =>
      access(gate).then(
        () => true,
        () => false,
      )
    while (!(await isOpen())) await setTimeout(POLL_MS, undefined, { signal })
    return 'open'
  },
})

const ship = defineTool({
  name: 'ship',
  description: 'Ships flour',
  input: { type: 'object', properties: { sacks: { type: 'integer' } }, required: ['sacks'] },
  needsApproval: true,
  run: async (_input, { callId }) => {
    await appendFile(shipped, `${callId}\n`)
    return 'shipped'
  },
})

const chooseGrain = defineFrontendTool({
  name: 'choose_grain',
  description: 'Asks which grain to use',
  input: nothing,
})

const tools = [hold, ship, chooseGrain]
const hand = createAgent({ name: 'hand', description: 'Does one thing', model, tools })

export const agents = {
  miller: createAgent({ name: 'miller', model, tools, subagents: [hand] }),
}

export const defaultAgent = 'miller'

const store = await openStore(address)

export const options = {
  store: createFailingStore(store, { drops: Number(drops), dies: Number(dies) }),
  limits: { leaseMs: Number(leaseMs), maxActiveRuns: 10_000 },
}

export const close = () => store.close()
