import type { PauseEvent, PausedCall } from '../../events/index.ts'

/** A call that was written. */
interface ShownCall {
  readonly agent: string
  /** Id of the assistant message that holds it. */
  readonly messageId: string
  /** Id of the message with its result, once there is one. */
  resultId?: string
}

/** The calls of a run: their messages, which have answers, and which are pending. */
export class Calls {
  readonly #shown = new Map<string, ShownCall>()
  readonly #results = new Map<string, PausedCall>()
  readonly #approvals = new Map<string, PausedCall>()

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

  /** Removes a pending call, because it has its answer or a decision. [CALL-3] */
  settle(callId: string): void {
    this.#results.delete(callId)
    this.#approvals.delete(callId)
  }

  waiting() {
    return { results: [...this.#results.values()], approvals: [...this.#approvals.values()] }
  }

  /** Lists the written calls that have no result and are not pending. */
  unanswered(): readonly (readonly [string, ShownCall])[] {
    return [...this.#shown].filter(
      ([id, { resultId }]) =>
        resultId === undefined && !this.#results.has(id) && !this.#approvals.has(id),
    )
  }

  /** Removes all pending calls. */
  clearPending(): void {
    this.#results.clear()
    this.#approvals.clear()
  }

  forget(callId: string): void {
    this.#shown.delete(callId)
  }

  clear(): void {
    this.#shown.clear()
    this.clearPending()
  }
}
