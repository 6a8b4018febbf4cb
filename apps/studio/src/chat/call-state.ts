import type { CallBlock } from 'millrace'

/** What is said of a call in each state. */
export const callLabels = {
  writing: 'Writing…',
  running: 'Running…',
  waiting: 'Waiting for you',
  done: 'Done',
  failed: 'Failed',
  refused: 'Refused',
  interrupted: 'Broken off',
} as const

/** Where a call stands, for the person who watches. */
export type CallState = keyof typeof callLabels

/** Tells where a call stands; `waits` if it is this page's turn. */
export function toCallState(
  { done, interrupted, result, status }: CallBlock,
  waits: boolean,
): CallState {
  if (status?.stage === 'refused') return 'refused'
  if (result?.isError) return 'failed'
  if (result) return result.done ? 'done' : 'running'
  if (interrupted) return 'interrupted'
  if (waits) return 'waiting'
  return done ? 'running' : 'writing'
}
