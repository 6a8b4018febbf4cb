import { createEmulator } from 'millrace-tools/emulator'
import { serve } from 'millrace/node'
import type { OpenModel } from '../mill/open-model.ts'
import { createFamilyScript, readPrompt } from './family-script.ts'
import type { CountedCall, PlannedFault } from './planned-fault.ts'

/** Fast, but slow enough for concurrent answers of sub-agents. */
const TOKENS_PER_SECOND = 2_000

/** A model for runs with sub-agents, which fails according to the plan of a run. */
export interface FamilyModel extends OpenModel {
  /** Plans the faults of a run. Its model calls wait until it is released. */
  readonly plan: (run: number, plannedFaults: readonly PlannedFault[]) => void
  readonly release: (run: number) => void
  /** The number of failed attempts of a run. */
  readonly failed: (run: number) => number
  /** The events of each model call of the first run without faults. */
  readonly calls: () => readonly CountedCall[]
}

interface Plan {
  readonly plannedFaults: readonly PlannedFault[]
  readonly released: Promise<void>
  readonly release: () => void
  failed: number
}

/** Starts the model. */
export async function openFamilyModel(): Promise<FamilyModel> {
  const plans = new Map<number, Plan>()
  const calls: CountedCall[] = []
  let requests = 0
  const emulator = createEmulator({
    scenarios: [
      createFamilyScript({
        faultsOf: (run) => plans.get(run)?.plannedFaults ?? [],
        onFault: (run) => {
          const plan = plans.get(run)
          if (plan !== undefined) plan.failed++
        },
      }),
    ],
    pace: { tokensPerSecond: TOKENS_PER_SECOND, firstTokenMs: 1, jitter: 0 },
    seed: 'family',
    onRequest: () => requests++,
  })
  const answer = async (request: Request): Promise<Response> => {
    const asked = readRequest(await request.clone().text())
    await plans.get(asked.run)?.released
    const response = await emulator.fetch(request)
    const { run, ...call } = asked
    if (run === 0) calls.push({ ...call, events: countEvents(await response.clone().text()) })
    return response
  }
  const { url, close } = await serve({ handler: { fetch: answer }, port: 0, closeGraceMs: 50 })
  return {
    url,
    close,
    requests: () => requests,
    plan: (run, plannedFaults) => plans.set(run, createPlan(plannedFaults)),
    release: (run) => plans.get(run)?.release(),
    failed: (run) => plans.get(run)?.failed ?? 0,
    calls: () => calls.toSorted((one, other) => one.role - other.role || one.step - other.step),
  }
}

function createPlan(plannedFaults: readonly PlannedFault[]): Plan {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  return { plannedFaults, released, release, failed: 0 }
}

interface RequestBody {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

/** The run, agent and step of a request. */
function readRequest(body: string): { run: number; role: number; step: number } {
  const { messages } = JSON.parse(body) as RequestBody
  const [prompt = ''] = /mill \d{6} flour(?: hand \d)?/.exec(JSON.stringify(messages[0])) ?? []
  const { run = -1, role = -1 } = readPrompt(prompt) ?? {}
  return { run, role, step: messages.filter((message) => message.role === 'assistant').length }
}

function countEvents(body: string): number {
  return [...body.matchAll(/^event: /gm)].length
}
