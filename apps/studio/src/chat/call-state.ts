import type { CallBlock } from 'millrace'
import { isUnanswered } from './find-unanswered.ts'

/** What is said of a call in each state. */
export const callLabels = {
  writing: 'Writing…',
  running: 'Running…',
  waiting: 'Waiting for you',
  done: 'Done',
  failed: 'Failed',
  refused: 'Refused',
  interrupted: 'Broken off',
  stopped: 'Stopped',
  unanswered: 'Not answered',
} as const

/** Where a call stands, for the person who watches. */
export type CallState = keyof typeof callLabels

/** What is known of a call beside its block. */
export interface CallSurroundings {
  /** It is this page's turn. */
  readonly waits: boolean
  /** Its run has ended, so nothing more comes. */
  readonly isOver: boolean
}

/** Tells where a call stands. */
export function toCallState(block: CallBlock, { waits, isOver }: CallSurroundings): CallState {
  const { done, interrupted, result, status } = block
  if (status?.stage === 'refused') return 'refused'
  if (isUnanswered(block)) return 'unanswered'
  if (result?.isError) return 'failed'
  if (result) return result.done ? 'done' : 'running'
  if (interrupted) return 'interrupted'
  if (waits) return 'waiting'
  // A provider may be stopped before it has told what its tool gave.
  if (isOver) return 'stopped'
  return done ? 'running' : 'writing'
}

/** Tells whether the card of a call is open unless someone chose: of many at once, those that went well fold. */
export function isOpenAtFirst(state: CallState, isOneOfMany: boolean): boolean {
  return !(isOneOfMany && state === 'done')
}
