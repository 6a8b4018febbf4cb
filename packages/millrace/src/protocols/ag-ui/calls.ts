import type { ToldCall } from '../../telling/index.ts'

/** A call that was shown. */
export interface ShownCall {
  readonly agent: string
  /** The assistant's message that holds it. */
  readonly messageId: string
  /** The message of its result, once there is one. */
  resultId?: string
}

/** The calls of a run: where they were shown, which are answered, and which wait for somebody. */
export class Calls {
  readonly #shown = new Map<string, ShownCall>()
  readonly #results = new Map<string, ToldCall>()
  readonly #approvals = new Map<string, ToldCall>()

  show(toolUseId: string, call: ShownCall): void {
    this.#shown.set(toolUseId, call)
  }

  find(toolUseId: string): ShownCall | undefined {
    return this.#shown.get(toolUseId)
  }

  answer(toolUseId: string, resultId: string): void {
    const call = this.#shown.get(toolUseId)
    if (call !== undefined) call.resultId = resultId
    this.settle(toolUseId)
  }

  await(what: 'results' | 'approvals', calls: readonly ToldCall[]): void {
    const waiting = what === 'results' ? this.#results : this.#approvals
    for (const call of calls) waiting.set(call.toolUseId, call)
  }

  /** A call has its answer, or a person has decided on it. [CALL-3] */
  settle(toolUseId: string): void {
    this.#results.delete(toolUseId)
    this.#approvals.delete(toolUseId)
  }

  waiting() {
    return { results: [...this.#results.values()], approvals: [...this.#approvals.values()] }
  }

  /** The shown calls without a result that nobody is asked for. */
  unanswered(): readonly (readonly [string, ShownCall])[] {
    return [...this.#shown].filter(
      ([id, { resultId }]) =>
        resultId === undefined && !this.#results.has(id) && !this.#approvals.has(id),
    )
  }

  /** Nothing is waited for any more. */
  goOn(): void {
    this.#results.clear()
    this.#approvals.clear()
  }

  forget(toolUseId: string): void {
    this.#shown.delete(toolUseId)
  }

  clear(): void {
    this.#shown.clear()
    this.goOn()
  }
}
