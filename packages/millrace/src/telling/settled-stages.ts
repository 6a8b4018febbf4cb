import type { Telling } from './telling.ts'

/** The stages of a call with which it is pending no more, though its agent may wait for others. [CALL-3] */
export const settledStages: ReadonlySet<string> = new Set([
  'approved',
  'refused',
  'expired',
  'answered',
])

/** Whether a telling is that a call was answered or decided on. */
export function isAnswer(telling: Telling): boolean {
  return telling.type === 'status' && settledStages.has(telling.stage)
}
