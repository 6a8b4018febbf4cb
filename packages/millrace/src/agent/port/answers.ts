import { MillraceError } from '../../errors/index.ts'
import type { AnnouncedCall, ResultContent } from '../../events/index.ts'

interface ToCall {
  readonly toolUseId: string
  /** The agent that made the call. An answer that names another agent is rejected. */
  readonly agent?: string
}

/** The browser's result of one pending call. */
export interface FrontendResult extends ToCall {
  readonly content: ResultContent
  readonly isError?: boolean
}

/** A user's decision on one call. */
export interface ApprovalDecision extends ToCall {
  readonly outcome: 'approved' | 'refused'
  /** Arguments to run with in place of the model's. */
  readonly input?: unknown
  /** The reason of a denial, for the model. */
  readonly reason?: string
  /** The hash of the arguments that were shown; the decision is rejected if they are not the call's. [APR-1] */
  readonly inputHash?: string
  /** The user who decided. */
  readonly by?: string | null
  /** Time of receipt in milliseconds since the epoch; now if absent. */
  readonly at?: number
}

/** Answers of users and browsers to pending calls. */
export interface PauseAnswers {
  readonly results?: readonly FrontendResult[]
  readonly decisions?: readonly ApprovalDecision[]
}

/** Splits answers into one for each call, with the id of the call. */
export function splitAnswers({
  results = [],
  decisions = [],
}: PauseAnswers): readonly (readonly [callId: string, answer: PauseAnswers])[] {
  return [
    ...results.map((one) => [one.toolUseId, { results: [one] }] as const),
    ...decisions.map((one) => [one.toolUseId, { decisions: [one] }] as const),
  ]
}

/** Creates the error for a request that names another agent than the call's own. [CALL-2] */
export function notOfAgent(
  call: { readonly id: string; readonly agent: string },
  named: string,
): MillraceError {
  return new MillraceError(
    'conflict',
    `Call ${call.id} belongs to agent ${call.agent}, not to ${named}; send the agent that the stream shows.`,
  )
}

/** A pending call and the id of its agent. */
export interface PendingCall extends AnnouncedCall {
  readonly agent: string
}

/** An answer to a call of the open turn. */
export interface GivenAnswer {
  readonly toolUseId: string
  /** A frontend tool may need both, one after the other. */
  readonly kind: 'result' | 'decision'
  /** The agent that made the call; absent in sessions that an older version stored. */
  readonly agent?: string
}

/** The calls that a run and its sub-agents wait for. */
export interface PendingCalls {
  /** Calls that the browser must answer. */
  readonly calls: readonly PendingCall[]
  /** Calls that a user must decide on. */
  readonly approvals: readonly PendingCall[]
  /** Answers in the open turn while other calls are pending; absent in sessions that an older version stored. */
  readonly answered?: readonly GivenAnswer[]
}

/** No pending calls. */
export const nothingPending: PendingCalls = { calls: [], approvals: [], answered: [] }
