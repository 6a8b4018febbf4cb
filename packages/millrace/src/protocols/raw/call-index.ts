import { heldTooMuch } from './block-queue.ts'

/** A call that is not written yet. */
export interface HeldCall {
  readonly callId: string
  readonly name: string
  /** The arguments as the model wrote them, or as the pause announced them. */
  readonly input: string
  /** Whether the call was interrupted. Such a call is written only with its result, so that no reader executes it. [LIFE-14] */
  readonly isInterrupted?: boolean
}

/** Holds the root's calls until it is known whether the server executes them, and the pending calls of all agents. */
export class CallIndex {
  readonly #maxHeldLength: number
  readonly #held = new Map<string, HeldCall>()
  readonly #waiting = new Map<string, HeldCall>()
  #heldLength = 0

  constructor(maxHeldLength: number) {
    this.#maxHeldLength = maxHeldLength
  }

  hold(call: HeldCall): void {
    this.#add(this.#held, call)
  }

  /** Removes and returns a held call; undefined for none. */
  release(callId: string): HeldCall | undefined {
    return this.#take(this.#held, callId)
  }

  releaseAll(): readonly HeldCall[] {
    const released = [...this.#held.keys()].flatMap((id) => this.release(id) ?? [])
    return released.filter(({ isInterrupted }) => isInterrupted !== true)
  }

  await(call: HeldCall): void {
    this.settle(call.callId)
    this.#add(this.#waiting, call)
  }

  /** Removes a pending call. */
  settle(callId: string): void {
    this.#take(this.#waiting, callId)
  }

  settleAll(): void {
    for (const id of this.#waiting.keys()) this.settle(id)
  }

  isWaiting(callId: string): boolean {
    return this.#waiting.has(callId)
  }

  waiting(): readonly HeldCall[] {
    return [...this.#waiting.values()]
  }

  #add(calls: Map<string, HeldCall>, call: HeldCall): void {
    calls.set(call.callId, call)
    this.#heldLength += call.input.length
    if (this.#heldLength > this.#maxHeldLength) throw heldTooMuch(this.#maxHeldLength)
  }

  #take(calls: Map<string, HeldCall>, callId: string): HeldCall | undefined {
    const call = calls.get(callId)
    calls.delete(callId)
    this.#heldLength -= call?.input.length ?? 0
    return call
  }
}
