import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writeText } from '../../tools/src/convert/writers/write-text.ts'
import { DONE } from '../../tools/src/convert/stage.ts'
import { agUiFormat } from '../src/protocols/ag-ui/ag-ui-format.ts'
import { agUiReader } from '../src/protocols/ag-ui/reading/ag-ui-reader.ts'
import { aiSdkFormat } from '../src/protocols/ai-sdk/ui-writer.ts'
import { aiSdkReader } from '../src/protocols/ai-sdk/ui-reader.ts'
import type { LogFormat, FormatReader } from '../src/protocols/port/log-format.ts'
import { openFormat } from '../src/protocols/port/open-format.ts'
import { createFrameReducer } from '../src/testing/frame-reducer.ts'
import {
  decodeEnvelope,
  type Envelope,
  createFinalAnswer,
  createEnvelopeWriter,
} from '../src/events/index.ts'
import { createTranscript, endTranscript, finalText } from '../src/client/transcript/index.ts'
import { anyLogPlan, playAnswer } from './support/frames/any-log.ts'
import { anyMove, playRun } from './support/agents/any-run.ts'
import { runs } from './support/runs.ts'

function answerIn(log: readonly Envelope[]): string {
  const reduce = createFrameReducer()
  const whole = log.reduce((before, one) => reduce(before, one), createTranscript())
  return finalText(endTranscript(whole))
}

/** The output of `millrace convert --to text`. */
function toText(log: readonly Envelope[]): string {
  const writer = writeText({ mayRollBack: true })
  return [...log.flatMap((item) => writer.push(item)), ...writer.push(DONE)].join('')
}

/** Expects a text to end with a paragraph; nothing indicates an empty answer. */
function expectLastParagraph(text: string, answer: string): void {
  if (answer !== '') expect(`\n\n${text}`.endsWith(`\n\n${answer}`), text).toBe(true)
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

describe('[LIFE-15] the final answer is the same everywhere', () => {
  test('for any session of any agents: to the server, the page, dialects and `convert`', async () => {
    await fc.assert(
      fc.asyncProperty(anyLogPlan, async (plan) => {
        const { log, answer, own } = await playAnswer(plan)
        if (log.length === 0) return
        expect(answerIn(log)).toBe(answer)
        // A run that resumes after a pause takes its text from its messages, which lack blank blocks.
        if (own !== undefined) expect(own.replaceAll(' ', '')).toBe(answer.replaceAll(' ', ''))
        expectLastParagraph(toText(log), answer)
        const agent = log[0]?.agent ?? ''
        expect(answerIn(throughFormat(log, aiSdkFormat(), aiSdkReader({ agent })))).toBe(answer)
        expect(answerIn(throughFormat(log, agUiFormat(), agUiReader()))).toBe(answer)
      }),
      { numRuns: runs(60, 15_000) },
    )
  })

  test('for any events of two agents, with any interleaved blocks and any rollbacks', () => {
    const events = fc.record({
      moves: fc.array(anyMove, { minLength: 1, maxLength: 50 }),
      isLive: fc.boolean(),
    })
    fc.assert(
      fc.property(events, ({ moves, isLive }) => {
        const run = playRun(moves, isLive)
        const writer = createEnvelopeWriter({ toolInput: isLive ? 'live' : 'buffered' })
        const answer = createFinalAnswer(run.events[0]?.agent ?? '')
        const log: Envelope[] = []
        let transcript = createTranscript()
        const reduce = createFrameReducer()
        for (const event of run.events) {
          answer.take(event)
          for (const line of writer.write(event)) {
            log.push(decodeEnvelope(line))
            transcript = reduce(transcript, line)
          }
          expect(finalText(transcript)).toBe(answer.text())
        }
        expectLastParagraph(toText(log), answer.text())
      }),
      { numRuns: runs(300, 15_000) },
    )
  })
})
