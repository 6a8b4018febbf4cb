import { finalText, type Transcript } from 'millrace'
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
import { agUiHistory } from '../peers/ag-ui.ts'
import { aiSdkHistory } from '../peers/ai-sdk.ts'
import { tanstackHistory } from '../peers/tanstack.ts'

const TOKENS = 2_000
const MESSAGES = 50
const MESSAGE_LENGTH = 2_000

const tokens = cut(prose(TOKENS * 4), 4)

function historyAt(scale: number): Transcript {
  const turn = [initEnvelope, ...textEnvelopes([prose(MESSAGE_LENGTH)])]
  const messages = Array.from({ length: scale * MESSAGES }, () => turn).flat()
  return reduceLines(toLines(messages))
}

/** Measures the cost of a token after a long conversation. */
export const historyCase: BenchCase = {
  name: 'history',
  job: '2,000 tokens after a history of 50 messages of 2 KB at 1×, 400 at 8×',
  unit: 'token',
  count: () => TOKENS,
  ours: {
    name: 'millrace decode and reduce',
    prepare: (scale) => {
      const before = historyAt(scale)
      const lines = toLines([initEnvelope, ...textEnvelopes(tokens)])
      return () => {
        const after = reduceLines(lines, before)
        demand(finalText(after).length === tokens.join('').length, 'millrace')
      }
    },
  },
  floor: {
    name: 'JSON.parse of the lines',
    prepare: () => parseLines(toLines(textEnvelopes(tokens))),
  },
  peers: [
    {
      name: 'AI SDK 6 readUIMessageStream',
      note: 'sees one message only',
      prepare: () => aiSdkHistory(tokens),
    },
    {
      name: 'AG-UI 1.0 defaultApplyEvents',
      prepare: (scale) => agUiHistory(tokens, scale * MESSAGES, prose(MESSAGE_LENGTH)),
    },
    {
      name: 'TanStack AI 0.58 StreamProcessor',
      prepare: (scale) => tanstackHistory(tokens, scale * MESSAGES, prose(MESSAGE_LENGTH)),
    },
  ],
}
