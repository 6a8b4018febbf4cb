import type { JsonObject } from '../../json/index.ts'
import type { LoopAnswer } from './loop-event.ts'

/** Writes a decision as the payload with which a library resumes. */
export function toDecision({ kind, isEdited, input, reason }: LoopAnswer): JsonObject {
  return {
    approved: kind === 'approved',
    ...(isEdited && { editedArgs: input }),
    ...(reason !== undefined && { reason }),
  }
}
