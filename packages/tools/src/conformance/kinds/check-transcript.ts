import { differences } from '../differences.ts'
import { framedTasks } from '../framed-tasks.ts'
import type { KindCheck } from './kind-check.ts'

/** Checks the transcript after a stream of envelopes. */
export const checkTranscript: KindCheck = {
  tasks: ({ data, ...input }) => framedTasks(data, input),
  createJudge: (expected) => (output) => differences(expected, output),
}
