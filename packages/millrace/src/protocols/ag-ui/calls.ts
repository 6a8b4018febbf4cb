import type { PauseEvent, PendingCall } from '../../events/index.ts'

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
  readonly #results = new Map<string, PendingCall>()
  readonly #approvals = new Map<string, PendingCall>()

  show(callId: string, call: ShownCall): void {
    this.#shown.set(callId, call)
  }

  find(callId: string): ShownCall | undefined {
    return this.#shown.get(callId)
  }

  answer(callId: string, resultId: string): void {
    const call = this.#shown.get(callId)
    if (call !== undefined) call.resultId = resultId
    this.settle(callId)
  }

  await({ type, calls }: PauseEvent): void {
    const waiting = type === 'awaiting_approval' ? this.#approvals : this.#results
    for (const call of calls) waiting.set(call.callId, call)
  }

  /** A call has its answer, or a person has decided on it. [CALL-3] */
  settle(callId: string): void {
    this.#results.delete(callId)
    this.#approvals.delete(callId)
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

  forget(callId: string): void {
    this.#shown.delete(callId)
  }

  clear(): void {
    this.#shown.clear()
    this.goOn()
  }
}
