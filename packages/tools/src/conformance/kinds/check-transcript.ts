import { differences } from '../differences.ts'
import { framedTasks } from '../framed-tasks.ts'
import type { KindCheck } from './kind-check.ts'

/** Checks what a person sees after a stream of messages. */
export const checkTranscript: KindCheck = {
  tasks: ({ data, ...input }) => framedTasks(data, input),
  createJudge: (expected) => (output) => differences(expected, output),
}
