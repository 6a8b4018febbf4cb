import type { JsonObject } from '../../json/index.ts'
import { type AgUiFields, toMetadata } from './ag-ui-event.ts'

/** Says an event in the name of an agent. */
export type Say = (agent: string, type: string, fields: AgUiFields) => void

/** The steps of agents: each opens with the first that its model says, and is named by its number. */
export class Steps {
  readonly #say: Say
  readonly #open = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  constructor(say: Say) {
    this.#say = say
  }

  /** An agent begins a run of its own. */
  restart(agent: string): void {
    this.close(agent)
    this.#counts.delete(agent)
  }

  begin(agent: string): void {
    if (this.#open.has(agent)) return
    const count = (this.#counts.get(agent) ?? 0) + 1
    this.#counts.set(agent, count)
    const stepName = `step ${count}`
    this.#open.set(agent, stepName)
    this.#say(agent, 'STEP_STARTED', { stepName })
  }

  end(agent: string, info: JsonObject): void {
    this.begin(agent)
    const { step, stop_reason: stopReason, usage, cost } = info
    if (typeof step === 'number') this.#counts.set(agent, step)
    this.#finish(agent, { step, stopReason, usage, cost: cost ?? undefined })
  }

  /** Closes the step that an agent is in, which has not come to its end. */
  close(agent: string): void {
    if (this.#open.has(agent)) this.#finish(agent, { interrupted: true })
  }

  closeAll(): void {
    for (const agent of this.#open.keys()) this.close(agent)
  }

  #finish(agent: string, metadata: AgUiFields): void {
    const stepName = this.#open.get(agent)
    this.#open.delete(agent)
    this.#say(agent, 'STEP_FINISHED', { stepName, metadata: toMetadata(metadata) })
  }
}
