import type { CallBlock } from 'millrace'
import { isUnanswered } from './unanswered.ts'

/** The label of each state of a call. */
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

/** The state of a call, as the chat shows it. */
export type CallState = keyof typeof callLabels

/** What is known of a call beside its block. */
export interface CallSurroundings {
  /** It is this page's turn. */
  readonly isPending: boolean
  /** Its run has ended, so nothing more comes. */
  readonly isOver: boolean
}

/** Finds the state of a call. */
export function toCallState(block: CallBlock, { isPending, isOver }: CallSurroundings): CallState {
  const { done, interrupted, result, status } = block
  if (status?.stage === 'refused') return 'denied'
  if (status?.stage === 'expired') return 'expired'
  if (isUnanswered(block)) return 'unanswered'
  if (result?.isError) return 'failed'
  if (result?.interrupted) return 'interrupted'
  if (result) return result.done ? 'done' : 'running'
  if (interrupted) return 'interrupted'
  if (isPending) return 'waiting'
  // A provider may be stopped before it has told what its tool gave.
  if (isOver) return 'stopped'
  if (status?.stage === 'answered') return 'answered'
  if (!done) return 'writing'
  return isQueued(block) ? 'queued' : 'running'
}

/** Stages of a call that a tool of the server has not begun to run. [LIFE-11] */
const stagesBeforeStart: ReadonlySet<string> = new Set(['approval_requested', 'approved'])

/** Whether a call is whole and its tool has not started. A provider starts its own tools without a word. */
function isQueued({ type, status }: CallBlock): boolean {
  return type === 'tool_call' && (!status || stagesBeforeStart.has(status.stage))
}

/** Tells whether the card of a call is open unless someone chose: of many at once, those that went well fold. */
export function isOpenAtFirst(state: CallState, isInBatch: boolean): boolean {
  return !(isInBatch && state === 'done')
}
