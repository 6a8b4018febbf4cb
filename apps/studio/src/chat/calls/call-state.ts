import type { CallBlock } from 'millrace'
import { isUnanswered } from './unanswered.ts'

/** Labels of the states of a call. */
export const callLabels = {
  writing: 'Writing…',
  queued: 'Queued',
  running: 'Running…',
  waiting: 'Waiting for you',
  answered: 'Answered',
  done: 'Done',
  failed: 'Failed',
  denied: 'Denied',
  expired: 'Expired',
  interrupted: 'Interrupted',
  stopped: 'Stopped',
  unanswered: 'Not answered',
} as const

/** State of a call, as the chat shows it. */
export type CallState = keyof typeof callLabels

/** Context of a call besides its block. */
export interface CallContext {
  /** The call waits for this page. */
  readonly isPending: boolean
  /** The run has ended, so the call does not change any more. */
  readonly isOver: boolean
}

/** Returns the state of a call. */
export function toCallState(block: CallBlock, { isPending, isOver }: CallContext): CallState {
  const { done, interrupted, result, status } = block
  if (status?.stage === 'refused') return 'denied'
  if (status?.stage === 'expired') return 'expired'
  if (isUnanswered(block)) return 'unanswered'
  if (result?.isError) return 'failed'
  if (result?.interrupted) return 'interrupted'
  if (result) return result.done ? 'done' : 'running'
  if (interrupted) return 'interrupted'
  if (isPending) return 'waiting'
  // A provider can be stopped before it has sent the result of its tool.
  if (isOver) return 'stopped'
  if (status?.stage === 'answered') return 'answered'
  if (!done) return 'writing'
  return isQueued(block) ? 'queued' : 'running'
}

/** Stages before the server starts a tool. [LIFE-11] */
const stagesBeforeStart: ReadonlySet<string> = new Set(['approval_requested', 'approved'])

/** Reports whether a call is complete and its tool has not started. Tools of providers start without a status. */
function isQueued({ type, status }: CallBlock): boolean {
  return type === 'tool_call' && (!status || stagesBeforeStart.has(status.stage))
}

/** Reports whether the card of a call is open by default: successful calls of a batch are collapsed. */
export function isOpenAtFirst(state: CallState, isInBatch: boolean): boolean {
  return !(isInBatch && state === 'done')
}
