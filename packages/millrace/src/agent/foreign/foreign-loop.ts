import type { Message } from '../../events/index.ts'
import type { JsonValue } from '../../json/index.ts'
import type { RecoveryMode } from '../port/index.ts'
import type { LoopAnswer, LoopEvent, LoopMemory } from './loop-event.ts'

/** The input of a loop: at the start of a run, and when it continues after a pause or a crash. */
export interface LoopInput {
  /**
   * The conversation up to and including the prompt, in the format of the Messages API. After a pause or a crash it ends with the calls of
   * the run and their results.
   */
  readonly messages: readonly Message[]
  /** The text of the prompt with which the run began. */
  readonly prompt: string
  /** The answers to the calls for which the loop paused; empty if it did not. */
  readonly answers: readonly LoopAnswer[]
  /** The id of the session. */
  readonly session: string
  readonly runId: string
  /** The context of the run, as the option `context` of the server returned it; undefined without one. */
  readonly context: unknown
  /** Aborts when the run is stopped. */
  readonly signal: AbortSignal
}

/** A {@link LoopInput} with the conversation in the loop's own form. */
export interface RememberingInput extends LoopInput {
  /** The items of the last memory. */
  readonly memory: readonly JsonValue[]
  /** Number of messages that they stand for. */
  readonly remembered: number
}

/** The loop of another library, and how its runs are recovered. */
export interface ForeignLoop {
  readonly name: string
  readonly description?: string
  /** The id of its model, for readers. */
  readonly model?: string
  readonly recovery: RecoveryMode
  /** Whether the loop itself gives calls that a user has denied a result. */
  readonly reportsRefusals?: boolean
  readonly run: (input: RememberingInput) => AsyncIterable<LoopEvent | LoopMemory>
}
