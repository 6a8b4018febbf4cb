import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agUiFormat } from '../src/protocols/ag-ui/ag-ui-format.ts'
import { agUiReader } from '../src/protocols/ag-ui/reading/ag-ui-reader.ts'
import { aiSdkFormat } from '../src/protocols/ai-sdk/ui-writer.ts'
import { aiSdkReader } from '../src/protocols/ai-sdk/ui-reader.ts'
import type { LogFormat, FormatReader } from '../src/protocols/port/log-format.ts'
import { jsonFormat } from '../src/protocols/json/json-format.ts'
import { segmentsFormat } from '../src/protocols/segments/segments-writer.ts'
import { segmentsReader } from '../src/protocols/segments/segments-reader.ts'
import { xmlFormat } from '../src/protocols/xml/xml-format.ts'
import { openFormat } from '../src/protocols/port/open-format.ts'
import { xmlToEnvelopes } from '../src/legacy-xml/convert.ts'
import { createFrameReducer } from '../src/testing/frame-reducer.ts'
import { decodeEnvelope, type Envelope } from '../src/events/index.ts'
import { createTranscript, endTranscript } from '../src/client/transcript/index.ts'
import { anyLogPlan, playLog } from './support/frames/any-log.ts'
import { runs } from './support/runs.ts'

/** The blocks of the root agent that were cut, and those that were not. */
function marksIn(log: readonly Envelope[], types: readonly string[]): readonly string[] {
  const reduce = createFrameReducer()
  const shown = log.reduce((before, one) => reduce(before, one), createTranscript())
  const [root] = endTranscript(shown).agents
  return [...(root?.blocks ?? [])]
    .filter((block) => types.includes(block.type) && !('text' in block && block.text === ''))
    .map(({ type, id, interrupted }) => {
      const isCall = type.endsWith('call')
      return `${type} ${isCall ? id : ''} ${interrupted ? 'interrupted' : 'whole'}`
    })
}

function throughFormat(
  log: readonly Envelope[],
  format: LogFormat,
  reader: FormatReader,
): readonly Envelope[] {
  const writer = openFormat(format, log[0]?.agent ?? '')
  const frames = [...log.flatMap((one, at) => writer.write(one, at + 1)), ...writer.finish('done')]
  return [...frames.flatMap((frame) => reader.read(frame)), ...reader.finish()]
}

const prose = ['text', 'thinking']
const calls = ['tool_call', 'server_tool_call']

describe('[LIFE-14] an interrupted block is marked everywhere', () => {
  test('for any session of any agents, in every dialect that can express it', async () => {
    await fc.assert(
      fc.asyncProperty(anyLogPlan, async (plan) => {
        const log = await playLog(plan)
        const agent = log[0]?.agent ?? ''
        const all = [...prose, ...calls]
        const marks = marksIn(log, all)
        const ui = throughFormat(log, aiSdkFormat(), aiSdkReader({ agent }))
        expect(marksIn(ui, all)).toEqual(marks)
        expect(marksIn(throughFormat(log, agUiFormat(), agUiReader()), all)).toEqual(marks)
        const segments = throughFormat(log, segmentsFormat(), segmentsReader({ agent }))
        expect(marksIn(segments, prose)).toEqual(marksIn(log, prose))
      }),
      { numRuns: runs(60, 5000) },
    )
  })
})

const agent = 'a'
const cutLog: readonly Envelope[] = [
  { type: 'meta_init', agent, final: true, delta: '{"agent_uuid":"a"}' },
  { type: 'text', agent, final: false, delta: 'half' },
  { type: 'text', agent, final: true, delta: '', interrupted: true },
  { type: 'tool_call', agent, final: true, delta: '{"a":', id: 't', name: 'f', interrupted: true },
  { type: 'meta_end', agent, final: true, delta: '{"stop_reason":"aborted"}' },
]

test('[EXT-2] a reader without extensions does not get the field', () => {
  const writer = openFormat(jsonFormat({ extensions: 'none' }), agent)
  const frames = cutLog.flatMap((one, at) => writer.write(one, at + 1))
  const said = frames.map(({ data = '' }) => decodeEnvelope(data))
  expect(said.map(({ type }) => type)).toEqual(['meta_init', 'text', 'text', 'tool_call'])
  expect(said.filter((one) => 'interrupted' in one)).toEqual([])
})

test('[XML-21] legacy XML marks calls and results, and not text', () => {
  const writer = openFormat(xmlFormat(), agent)
  const frames = cutLog.flatMap((one, at) => writer.write(one, at + 1))
  const read = [
    ...xmlToEnvelopes([...frames, ...writer.finish('done')].map(({ data = '' }) => data)),
  ]
  expect(marksIn(read, ['text', 'tool_call'])).toEqual(['text  whole', 'tool_call t interrupted'])
})
