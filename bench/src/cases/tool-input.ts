import {
  createDecoder,
  createTranscript,
  type Envelope,
  reduceTranscript,
  rootAgent,
  toolInput,
} from 'millrace'
import type { BenchCase } from '../bench-case.ts'
import { AGENT, cut, demand, initEnvelope, parseLines, prose, toLines } from '../deltas.ts'
import { agUiToolInput } from '../peers/ag-ui.ts'
import { aiSdkToolInput } from '../peers/ai-sdk.ts'
import { tanstackToolInput } from '../peers/tanstack.ts'

const BASE_LENGTH = 262_144
const DELTA_LENGTH = 16

/** Arguments of a call that writes a file: a path, options, and the content as one long string. */
function inputAt(scale: number): string[] {
  const fields = Array.from({ length: scale * 40 }, (_, index) => ({
    line: index,
    note: `note ${index}`,
    done: index % 2 === 0,
  }))
  const frame = JSON.stringify({ path: 'src/mill.ts', fields, content: '' })
  const content = JSON.stringify(prose(Math.max(0, scale * BASE_LENGTH - frame.length))).slice(
    1,
    -1,
  )
  return cut(frame.replace(/""\}$/, `"${content}"}`), DELTA_LENGTH)
}

function callEnvelopes(deltas: readonly string[]): Envelope[] {
  return deltas.map((delta, index) => ({
    type: 'tool_call',
    agent: AGENT,
    final: index === deltas.length - 1,
    delta,
    id: 'toolu_1',
    name: 'write_file',
  }))
}

/** Arguments that are available as a value while the model still writes them. */
export const toolInputCase: BenchCase = {
  name: 'tool-input',
  job: 'arguments in 16-character deltas, 256 KiB at 1×, the value read at every delta',
  unit: 'delta',
  count: (scale) => (scale * BASE_LENGTH) / DELTA_LENGTH,
  ours: {
    name: 'millrace decode, reduce and toolInput',
    prepare: (scale) => {
      const deltas = inputAt(scale)
      const lines = toLines([initEnvelope, ...callEnvelopes(deltas)])
      const whole = deltas.join('')
      return () => {
        const decoder = createDecoder()
        let transcript = createTranscript()
        let value: unknown
        for (const line of lines) {
          transcript = reduceTranscript(transcript, decoder.decode(line))
          const block = rootAgent(transcript)?.blocks.at(-1)
          if (block?.type === 'tool_call') value = toolInput(block)
        }
        demand(JSON.stringify(value) === whole, 'millrace')
      }
    },
  },
  floor: {
    name: 'JSON.parse of the lines',
    prepare: (scale) => parseLines(toLines(callEnvelopes(inputAt(scale)))),
  },
  peers: [
    { name: 'AI SDK 6 readUIMessageStream', prepare: (scale) => aiSdkToolInput(inputAt(scale)) },
    {
      name: 'AG-UI 1.0 defaultApplyEvents',
      note: 'text only, no value',
      prepare: (scale) => agUiToolInput(inputAt(scale)),
    },
    {
      name: 'TanStack AI 0.58 StreamProcessor',
      prepare: (scale) => tanstackToolInput(inputAt(scale)),
    },
  ],
}
