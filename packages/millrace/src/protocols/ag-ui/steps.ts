import type { JsonObject } from '../../json/index.ts'
import { type AgUiFields, toMetadata } from './ag-ui-run.ts'

/** Writes an event of an agent. */
export type Emit = (agent: string, type: string, fields: AgUiFields) => void

/** Steps of agents. The first output of the model opens a step; its name has its number. */
export class Steps {
  readonly #emit: Emit
  readonly #open = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  constructor(emit: Emit) {
    this.#emit = emit
  }

  /** Restarts the step count for a new run of an agent. */
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
    this.#emit(agent, 'STEP_STARTED', { stepName })
  }

  end(agent: string, info: JsonObject): void {
    this.begin(agent)
    const { step, stop_reason: stopReason, usage, cost } = info
    if (typeof step === 'number') this.#counts.set(agent, step)
    this.#finish(agent, { step, stopReason, usage, cost: cost ?? undefined })
  }

  /** Closes the open step of an agent as interrupted. */
  close(agent: string): void {
    if (this.#open.has(agent)) this.#finish(agent, { interrupted: true })
  }

  closeAll(): void {
    for (const agent of this.#open.keys()) this.close(agent)
  }

  #finish(agent: string, metadata: AgUiFields): void {
    const stepName = this.#open.get(agent)
    this.#open.delete(agent)
    this.#emit(agent, 'STEP_FINISHED', { stepName, metadata: toMetadata(metadata) })
  }
}
