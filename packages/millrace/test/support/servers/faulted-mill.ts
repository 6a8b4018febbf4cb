import { createAgent } from '../../../src/agent/create-agent.ts'
import { anthropic } from '../../../src/models/anthropic/anthropic.ts'
import { serve } from '../../../src/node/serve.ts'
import { createHandler } from '../../../src/server/handler.ts'
import {
  createEmulator,
  type Fault,
  type Scenario,
  type ScriptedReply,
} from 'millrace-tools/emulator'
import type { Violation } from '../../../src/events/index.ts'
import type { JsonObject } from '../../../src/json/index.ts'
import { createMemoryStore } from '../../../src/stores/memory/index.ts'
import { sleep } from '../../../src/streams/index.ts'
import { defineTool, type Tool } from '../../../src/tools/index.ts'
import { eventsOf } from '../models/emulator-talk.ts'

/** The fault of one step of a run. */
export interface Trouble {
  readonly step: number
  readonly faults: readonly Fault[]
}

/** The prompt without a fault. */
export const SMOOTH = 'mill'

/** The prompt of a user after a run with any end. */
export const GO_ON = 'go on'

const grindCall = (id: string, n: number) =>
  ({ type: 'tool_use', id, name: 'grind', input: ['', '{"n"', `:${n}}`] }) as const

/** Three steps, two of them with two calls each, in the same chunks each time. */
const steps: readonly ScriptedReply[] = [
  {
    blocks: [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: ['First', ' the', ' mill.'] },
      grindCall('a1', 1),
      grindCall('a2', 2),
    ],
  },
  { blocks: [{ type: 'text', text: ['Now', ' more.'] }, grindCall('b1', 3), grindCall('b2', 4)] },
  { blocks: [{ type: 'text', text: ['All', ' done', '.'] }] },
]

/** The calls of each step. */
export const callsOfStep: readonly (readonly string[])[] = [['a1', 'a2'], ['b1', 'b2'], []]

/** The events in a mill, for observers. */
export interface MillNotes {
  /** Violations of the protocol. */
  readonly violations: Violation[]
  /** Rejections by the API. */
  readonly refusals: string[]
  /** The events of each step without a fault, in order. */
  readonly events: (readonly JsonObject[])[]
  /** The calls that ran, by session, in the order of their starts. */
  readonly runs: Map<string, string[]>
  /** The current step of the model, by prompt. */
  readonly reached: Map<string, number>
  /** The faults, by prompt. */
  readonly troubles: Map<string, Trouble>
  /** The call of a session that does not answer until it is stopped. */
  readonly hanging: Map<string, string>
}

/** A server whose model has the given faults, over real sockets. */
export interface FaultedMill extends MillNotes {
  readonly url: string
  /** Returns a prompt for which faults occur. */
  plan(trouble: Trouble): string
  close(): Promise<void>
}

/** Starts a mill; the agent `hasty` aborts a body that is silent for `idleTimeoutMs`, `patient` never does. */
export async function openMill(idleTimeoutMs: number): Promise<FaultedMill> {
  const notes: MillNotes = {
    violations: [],
    refusals: [],
    events: [],
    runs: new Map(),
    reached: new Map(),
    troubles: new Map(),
    hanging: new Map(),
  }
  const fetch = createModelFetch(notes)
  const modelServer = await serve({ handler: { fetch }, port: 0, closeGraceMs: 50 })
  const toAgent = (name: string, idleMs: number) => {
    const access = { baseURL: modelServer.url, apiKey: 'none', maxRetries: 0 }
    const model = anthropic('emulator', { ...access, idleTimeoutMs: idleMs })
    return createAgent({ name, model, tools: [createGrind(notes)], retryDelayMs: 1 })
  }
  const handler = createHandler({
    agents: { patient: toAgent('patient', 60_000), hasty: toAgent('hasty', idleTimeoutMs) },
    defaultAgent: 'patient',
    store: createMemoryStore(),
    onViolation: (violation) => notes.violations.push(violation),
  })
  const server = await serve({ handler, port: 0, closeGraceMs: 500 })
  return {
    ...notes,
    url: server.url,
    plan: (trouble) => {
      // Prompts of one length, so that the tokens of all runs can be compared.
      const prompt = `${SMOOTH} ${String(notes.troubles.size).padStart(6, '0')}`
      notes.troubles.set(prompt, trouble)
      return prompt
    },
    close: async () => {
      await server.close()
      await modelServer.close()
    },
  }
}

function createModelFetch(notes: MillNotes): (request: Request) => Promise<Response> {
  const emulator = createEmulator({ scenarios: createScript(notes), pace: 'instant', seed: 'mill' })
  return async (request) => {
    const isSmooth = (await request.clone().text()).includes(`"${SMOOTH}"`)
    const response = await emulator.fetch(request)
    if (response.status === 400) notes.refusals.push(await response.clone().text())
    if (isSmooth && notes.events.length < steps.length)
      notes.events.push(eventsOf(await response.clone().text()))
    return response
  }
}

function createScript({ reached, troubles }: MillNotes): readonly Scenario[] {
  const mill: Scenario = {
    name: 'mill',
    summary: 'three steps',
    matches: (prompt) => prompt.startsWith(SMOOTH),
    reply: ({ prompt, step }) => {
      reached.set(prompt, step)
      const trouble = troubles.get(prompt)
      const reply = steps[step] ?? { blocks: [] }
      return trouble?.step === step ? { ...reply, faults: trouble.faults } : reply
    },
  }
  const resume: Scenario = {
    name: 'go on',
    summary: 'whatever else is asked',
    matches: () => true,
    reply: () => ({ blocks: [{ type: 'text', text: ['Yes', '.'] }] }),
  }
  return [mill, resume]
}

function createGrind({ runs, hanging }: MillNotes): Tool {
  return defineTool({
    name: 'grind',
    description: 'Grinds.',
    input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    run: async ({ n }, { agent, callId, signal }) => {
      runs.set(agent, [...(runs.get(agent) ?? []), callId])
      if (hanging.get(agent) === callId) await sleep(Infinity, signal)
      signal.throwIfAborted()
      return `ground ${String(n)}`
    },
  })
}
