import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fault } from 'millrace-tools/emulator'
import { isJsonObject, type JsonObject } from '../../src/json/index.ts'
import type { Block } from '../../src/client/transcript/index.ts'
import { callsOfStep, type FaultedMill, openMill, SMOOTH } from '../support/servers/faulted-mill.ts'
import { type MillOutcome, playMill } from '../support/servers/play-mill.ts'
import { runs } from '../support/runs.ts'

const isNightly = runs(0, 1) === 1

/** Long enough for a busy machine, and short enough for a hundred waits. */
const IDLE_TIMEOUT_MS = 150
/** Concurrent runs. */
const WIDTH = 8

let mill: FaultedMill
/** The final content of a client without faults. */
let smooth: MillOutcome

beforeAll(async () => {
  mill = await openMill(IDLE_TIMEOUT_MS)
  smooth = await playMill({ mill, prompt: SMOOTH })
})

afterAll(() => mill.close())

/** The kinds of faults that break a stream at an event; at night also an end that looks complete. */
const kinds = ['error', 'cut', 'stall', ...(isNightly ? (['end'] as const) : [])] as const
const stepNumbers = [0, 1, 2] as const
const inputModes = ['buffered', 'live'] as const

/** The compared members of a block: all visible ones, without keys of the reducer. */
function toSeen(block: Block): JsonObject {
  if (block.type === 'error') return { type: 'error' }
  const { type, id, name, text, done, result } = block
  const call = result && { text: result.text, isError: result.isError, done: result.done }
  return { type, id, name, text, done, ...(call && { result: call }) }
}

/** The first blocks of each step in the transcript of a run without faults. */
const firstBlockOf = [0, 4, 7]

/** The model's text up to an event of a step, cut to the number of characters that a client shows. */
function charsBefore(step: number, event: number): number {
  const before = mill.events.slice(0, step).flat()
  const words = [...before, ...(mill.events[step] ?? []).slice(0, event)].map(({ delta }) => {
    const { text, thinking, partial_json: json } = isJsonObject(delta) ? delta : {}
    return String(text ?? thinking ?? json ?? '').length
  })
  return words.reduce((sum, length) => sum + length, 0)
}

/** The events of a step before which a fault may occur. */
const eventsOf = (step: number): number[] => Object.keys(mill.events[step] ?? []).map(Number)

/** Runs a check for every item, several at once. */
async function forEach<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const work = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await check(item)
  }
  await Promise.all(Array.from({ length: WIDTH }, work))
}

/** The invariants of every run, with any fault. */
function checkAlways({ blocks, end, next, broken }: MillOutcome): void {
  expect(broken).toEqual([])
  expect(blocks.filter(({ done }) => !done)).toEqual([])
  expect(end).toMatchObject({ usage: { input_tokens: expect.any(Number) } })
  // The API accepted the next prompt, with all that this run left before it.
  expect(next).toBe('Yes.')
  expect(mill.refusals).toEqual([])
  expect(mill.violations).toEqual([])
}

/** The shown content of a run that failed in a step: everything before it, and valid content of the step. */
function checkBeginning(step: number, { blocks, ran }: MillOutcome): void {
  const shown = blocks.filter(({ type }) => type !== 'error').map(toSeen)
  const whole = smooth.blocks.map(toSeen)
  const start = firstBlockOf[step] ?? 0
  expect(shown.slice(0, start)).toEqual(whole.slice(0, start))
  shown.slice(start).forEach(({ type, text, result }, index) => {
    const wanted = whole[start + index]
    expect(type).toBe(wanted?.['type'])
    expect(String(wanted?.['text']).startsWith(String(text))).toBe(true)
    // A call that was not run is marked as such, or was never complete.
    if (isJsonObject(result)) expect(result).toMatchObject({ isError: true })
  })
  expect(ran.toSorted()).toEqual(callsOfStep.slice(0, step).flat())
}

function usedTokens({ end }: MillOutcome): number {
  const { usage } = end
  return isJsonObject(usage) ? Number(usage['input_tokens']) : NaN
}

test('the run without faults is as expected', () => {
  expect(smooth.status).toBe('complete')
  expect(smooth.blocks.map(({ type }) => type).join(' ')).toBe(
    'thinking text tool_call tool_call text tool_call tool_call text',
  )
  expect(smooth.ran.toSorted()).toEqual(callsOfStep.flat())
  expect(smooth.end).toMatchObject({ stop_reason: 'end_turn', total_steps: 3 })
  checkAlways(smooth)
})

describe.each(stepNumbers)('in step %i', (step) => {
  const plan = (fault: Fault): string => mill.plan({ step, faults: [fault] })

  describe.each(kinds)('%s at every event', (kind) => {
    const agentType = kind === 'stall' ? 'hasty' : 'patient'
    const modes = isNightly ? inputModes : []
    const places = (): { event: number; toolInput: 'buffered' | 'live' }[] =>
      eventsOf(step).flatMap((event) => {
        const usual = inputModes[event % 2] ?? 'buffered'
        return (isNightly ? modes : [usual]).map((toolInput) => ({ event, toolInput }))
      })

    test.each(isNightly ? [1, 2] : [1])(
      '%i times: the run ends as without faults',
      async (times) => {
        await forEach(places(), async ({ event, toolInput }) => {
          const prompt = plan({ kind, at: { event }, times })
          const outcome = await playMill({ mill, prompt, agentType, toolInput })
          checkAlways(outcome)
          expect(outcome.status).toBe('complete')
          expect(outcome.blocks.map(toSeen)).toEqual(smooth.blocks.map(toSeen))
          expect(outcome.ran.toSorted()).toEqual(callsOfStep.flat())
          expect(outcome.end).toMatchObject({ stop_reason: 'end_turn', total_steps: 3 })
          // The input of the lost attempt is billed if its answer had begun.
          if (event > 0) expect(usedTokens(outcome)).toBeGreaterThan(usedTokens(smooth))
        })
      },
    )

    test('each time: the run ends with an error, and keeps completed work', async () => {
      await forEach(places(), async ({ event, toolInput }) => {
        const prompt = plan({ kind, at: { event } })
        const outcome = await playMill({ mill, prompt, agentType, toolInput })
        checkAlways(outcome)
        expect(outcome.status).toBe('error')
        expect(outcome.blocks.at(-1)?.type).toBe('error')
        expect(outcome.blocks.filter(({ type }) => type === 'error')).toHaveLength(1)
        checkBeginning(step, outcome)
        expect(outcome.end).toMatchObject({ stop_reason: 'error', total_steps: step })
        expect(usedTokens(outcome) > 0).toBe(step > 0 || event > 0)
      })
    })
  })

  test.runIf(isNightly)(
    'cut at every seventh byte: the run ends as without faults',
    async () => {
      const length = JSON.stringify(mill.events[step]).length
      const bytes = Array.from({ length: Math.floor(length / 7) }, (_, index) => 7 * index)
      await forEach(bytes, async (byte) => {
        const prompt = plan({ kind: 'cut', at: { byte }, times: 1 })
        const outcome = await playMill({ mill, prompt, toolInput: 'live' })
        checkAlways(outcome)
        expect(outcome.blocks.map(toSeen)).toEqual(smooth.blocks.map(toSeen))
        expect(outcome.ran.toSorted()).toEqual(callsOfStep.flat())
      })
    },
    600_000,
  )

  test('stopped at every event, shown content is kept and no call of the step is run', async () => {
    await forEach(eventsOf(step), async (event) => {
      const prompt = plan({ kind: 'stall', at: { event } })
      const chars = charsBefore(step, event)
      const outcome = await playMill({
        mill,
        prompt,
        toolInput: 'live',
        stopWhen: ({ shownChars }) => mill.reached.get(prompt) === step && shownChars >= chars,
      })
      checkAlways(outcome)
      expect(outcome.status).toBe('aborted')
      checkBeginning(step, outcome)
      expect(outcome.end).toMatchObject({ stop_reason: 'aborted', total_steps: step })
      expect(usedTokens(outcome) > 0).toBe(step > 0 || event > 0)
    })
  })

  test('stopped before the answer begins', async () => {
    const prompt = plan({ kind: 'slow_headers', waitMs: Infinity })
    const stopWhen = () => mill.reached.get(prompt) === step
    const outcome = await playMill({ mill, prompt, stopWhen })
    checkAlways(outcome)
    expect(outcome.status).toBe('aborted')
    checkBeginning(step, outcome)
    expect(outcome.blocks).toHaveLength(firstBlockOf[step] ?? 0)
  })
})

describe('stopped during tools', () => {
  test.each(callsOfStep.flat())('%s hangs: results of the others are kept', async (hangingCall) => {
    const step = callsOfStep.findIndex((calls) => calls.includes(hangingCall))
    const started = callsOfStep.slice(0, step + 1).flat()
    const outcome = await playMill({
      mill,
      prompt: mill.plan({ step: -1, faults: [] }),
      hangingCall,
      stopWhen: ({ session }) => mill.runs.get(session)?.length === started.length,
    })
    checkAlways(outcome)
    expect(outcome.status).toBe('aborted')
    expect(outcome.ran.toSorted()).toEqual(started)
    const end = firstBlockOf[step + 1] ?? 0
    expect(outcome.blocks).toHaveLength(end)
    outcome.blocks.forEach((block, index) => {
      if (block.id === hangingCall) expect(block.result).toMatchObject({ isError: true })
      else expect(toSeen(block)).toEqual(smooth.blocks.map(toSeen)[index])
    })
    expect(outcome.end).toMatchObject({ stop_reason: 'aborted', total_steps: step + 1 })
  })
})
