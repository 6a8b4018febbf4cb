import type { Extras } from './envelope/envelope.ts'

/** A decision on a call: its author, time and subject. */
interface DecisionRecord {
  /** The user who decided; null if the server knows none, or if the request expired. */
  readonly by: string | null
  /** Milliseconds since the epoch, by the clock of the server that received the decision. */
  readonly at: number
  /** The hash of the arguments that were decided on. [APR-1] */
  readonly inputHash?: string | undefined
  /** Whether the call was approved with edited arguments. */
  readonly isEdited: boolean
}

/** Returns the fields of a `tool_status` that record a decision. [APR-3] */
export function toDecisionFields({ by, at, inputHash, isEdited }: DecisionRecord): Extras {
  return {
    ...(by !== null && { by }),
    at: new Date(at).toISOString(),
    ...(inputHash !== undefined && { input_hash: inputHash }),
    ...(isEdited && { edited: true }),
  }
}

/** Checks for the status of a call that records a decision; the time is in every record. */
export function isDecision(event: { readonly type: string; readonly fields?: Extras }): boolean {
  return event.type === 'tool_status' && event.fields?.['at'] !== undefined
}
