import { finalText } from 'millrace'
import type { BenchCase } from '../bench-case.ts'
import {
  cut,
  demand,
  initEnvelope,
  parseLines,
  prose,
  reduceLines,
  textEnvelopes,
  toLines,
} from '../deltas.ts'
import { agUiText } from '../peers/ag-ui.ts'
import { aiSdkText } from '../peers/ai-sdk.ts'
import { tanstackText } from '../peers/tanstack.ts'

const BASE_LENGTH = 131_072
const DELTA_LENGTH = 4

function deltasAt(scale: number): string[] {
  return cut(prose(scale * BASE_LENGTH), DELTA_LENGTH)
}

/** One long answer in tiny deltas. */
export const textCase: BenchCase = {
  name: 'text',
  job: 'one text block in 4-character deltas, 1 MB at 8×, lines to state',
  unit: 'delta',
  count: (scale) => (scale * BASE_LENGTH) / DELTA_LENGTH,
  ours: {
    name: 'millrace decode and reduce',
    prepare: (scale) => {
      const lines = toLines([initEnvelope, ...textEnvelopes(deltasAt(scale))])
      return () => {
        const transcript = reduceLines(lines)
        demand(finalText(transcript).length === scale * BASE_LENGTH, 'millrace')
      }
    },
  },
  floor: {
    name: 'JSON.parse of the lines',
    prepare: (scale) => parseLines(toLines(textEnvelopes(deltasAt(scale)))),
  },
  peers: [
    { name: 'AI SDK 6 readUIMessageStream', prepare: (scale) => aiSdkText(deltasAt(scale)) },
    { name: 'AG-UI 1.0 defaultApplyEvents', prepare: (scale) => agUiText(deltasAt(scale)) },
    { name: 'TanStack AI 0.58 StreamProcessor', prepare: (scale) => tanstackText(deltasAt(scale)) },
  ],
}
