import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from '../../../../spec/seed-clients/index.ts'
import type { Fault } from 'millrace-tools/emulator'
import { runs } from '../support/runs.ts'
import { callsOfStep, type FaultedMill, openMill, SMOOTH } from '../support/servers/faulted-mill.ts'
import {
  extraBlocks,
  type SeedMode,
  seedModes,
  type Shown,
  shownBlocks,
} from '../support/frames/seed-reader.ts'

const isNightly = runs(0, 1) === 1

/** Long enough for a busy machine, and short enough for a hundred waits. */
const IDLE_TIMEOUT_MS = 150
/** Concurrent runs. */
const WIDTH = 8

/** The final content of a client of a seed, next to the recorded output of the server. */
interface Outcome {
  readonly session: string
  readonly page: Page
  readonly shown: readonly Shown[]
  readonly stopReason: string
  readonly answer: string
}

let mill: FaultedMill
const smooth = new Map<SeedMode, readonly Shown[]>()

beforeAll(async () => {
  mill = await openMill(IDLE_TIMEOUT_MS)
  for (const mode of seedModes) smooth.set(mode, (await run(mode, SMOOTH)).shown)
})
afterAll(() => mill.close())

/** Runs a prompt and reads the response like a client of a seed. */
async function run(mode: SeedMode, prompt: string, agentType = 'patient'): Promise<Outcome> {
  const session = crypto.randomUUID()
  const response = await fetch(`${mill.url}/agent/run?${mode.query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_uuid: session, user_prompt: prompt, agent_type: agentType }),
  })
  const page = mode.read(await response.text())
  const recorded = await fetch(`${mill.url}/agent/${session}/conversations`)
  const { conversations } = (await recorded.json()) as {
    conversations: readonly { final_response: string | null; stop_reason: string }[]
  }
  const { final_response: answer, stop_reason: stopReason = '' } = conversations[0] ?? {}
  return { session, page, shown: shownBlocks(page, session), stopReason, answer: answer ?? '' }
}

/** Reads an ended run like a client of a seed. */
async function readAgain(mode: SeedMode, session: string): Promise<readonly Shown[]> {
  const response = await fetch(`${mill.url}/agent/${session}/stream?cursor=0&${mode.query}`)
  const page = mode.read(await response.text())
  expect([page.isDone, page.errors]).toEqual([true, []])
  return shownBlocks(page, session)
}

/** Runs a check for every item, several at once. */
async function forEach<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const work = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await check(item)
  }
  await Promise.all(Array.from({ length: WIDTH }, work))
}

/** The invariants of every client after every run, with any fault. */
function checkEnd({ page, stopReason }: Outcome): void {
  expect(page.isDone).toBe(true)
  const open = [...page.agents.values()].flat().filter(({ isDone }) => !isDone)
  expect(open).toEqual([])
  expect(page.pending).toEqual([])
  expect(page.errors).toHaveLength(stopReason === 'error' ? 1 : 0)
}

/** A client without support for rollback shows void blocks beside the others; they are beginnings of valid ones. */
function checkVoid(blocks: readonly Shown[], wanted: readonly Shown[]): void {
  for (const { type, content, id } of blocks) {
    const real = wanted.filter((block) => block.type === type && block.id === id)
    expect(real.some((block) => block.content.startsWith(content))).toBe(true)
  }
}

/** The text that a client shows last, after all calls and results. */
function answerOf(shown: readonly Shown[]): string {
  const last = shown.at(-1)
  return last?.type === 'text' ? last.content : ''
}

function checkWhole(mode: SeedMode, outcome: Outcome): void {
  checkEnd(outcome)
  expect(outcome.stopReason).toBe('end_turn')
  const wanted = smooth.get(mode) ?? []
  checkVoid(extraBlocks(outcome.shown, wanted), wanted)
  expect(outcome.answer).toBe('All done.')
  expect(answerOf(outcome.shown)).toBe(outcome.answer)
}

/** The first blocks of each step in a run without faults. */
const firstBlockOf = [0, 6, 11]

/**
 * The content of a client for a run that failed in a step: everything before it, beginnings of the
 * step, one error.
 */
function checkFailed(mode: SeedMode, step: number, outcome: Outcome): void {
  checkEnd(outcome)
  expect(outcome.stopReason).toBe('error')
  const wanted = smooth.get(mode) ?? []
  const extras = extraBlocks(outcome.shown, wanted.slice(0, firstBlockOf[step]))
  const isResult = ({ type }: Shown): boolean => type === 'tool_result'
  checkVoid(
    extras.filter((block) => !isResult(block)),
    wanted,
  )
  // A call of the step that was whole is answered with the reason why it was not run.
  for (const { id } of extras.filter(isResult)) expect(callsOfStep[step]).toContain(id)
}

/** If a fault changes the output of the model, the server's own record is the reference. */
function checkRecorded(outcome: Outcome): void {
  checkEnd(outcome)
  if (outcome.stopReason !== 'error') expect(answerOf(outcome.shown)).toBe(outcome.answer)
}

describe.each(seedModes)('a client that reads $name', (mode) => {
  test('shows the complete run without faults', () => {
    expect(smooth.get(mode)?.map(({ type }) => type)).toEqual([
      'thinking',
      'text',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'text',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'text',
    ])
  })

  describe.each([0, 1, 2])('in step %i', (step) => {
    const plan = (fault: Fault): string => mill.plan({ step, faults: [fault] })
    const everyEvent = (): number[] => (mill.events[step] ?? []).map((_, event) => event)
    /** By day, slow faults are tried at every third event, with another third for each client. */
    const places = (kind: Fault['kind']): number[] =>
      isNightly || kind === 'error' || kind === 'cut'
        ? everyEvent()
        : everyEvent().filter((event) => event % 3 === seedModes.indexOf(mode))

    test.each(['error', 'cut', 'stall', 'end'] as const)(
      '%s once at any event: the complete answer and the end',
      async (kind) => {
        const agentType = kind === 'stall' ? 'hasty' : 'patient'
        await forEach(places(kind), async (event) => {
          const prompt = plan({ kind, at: { event }, times: 1 })
          checkWhole(mode, await run(mode, prompt, agentType))
        })
      },
    )

    test.each(['error', 'cut', 'stall', 'end'] as const)(
      '%s each time at any event: one error and the end',
      async (kind) => {
        const agentType = kind === 'stall' ? 'hasty' : 'patient'
        await forEach(places(kind), async (event) => {
          const prompt = plan({ kind, at: { event } })
          checkFailed(mode, step, await run(mode, prompt, agentType))
        })
      },
    )

    test('cut once at any event and read again: no void content', async () => {
      await forEach(places('end'), async (event) => {
        const prompt = plan({ kind: 'cut', at: { event }, times: 1 })
        const { session } = await run(mode, prompt)
        expect(await readAgain(mode, session)).toEqual(smooth.get(mode))
      })
    })

    test('cut once at any event, with settled=1: no void content', async () => {
      const settled = { ...mode, query: `settled=1&${mode.query}` }
      await forEach(places('end'), async (event) => {
        const outcome = await run(settled, plan({ kind: 'cut', at: { event }, times: 1 }))
        checkEnd(outcome)
        expect(outcome.shown).toEqual(smooth.get(mode))
      })
    })

    test('rejected before it begins: the complete answer, or one error', async () => {
      await forEach([429, 500, 529], async (status) => {
        checkWhole(mode, await run(mode, plan({ kind: 'status', status, times: 1 })))
        checkFailed(mode, step, await run(mode, plan({ kind: 'status', status })))
      })
      checkWhole(mode, await run(mode, plan({ kind: 'slow_headers', waitMs: 5 })))
    })

    test.each<Fault>([
      { kind: 'pings' },
      { kind: 'crlf' },
      { kind: 'bom' },
      { kind: 'comments' },
      { kind: 'no_event_names' },
      { kind: 'chunks', bytes: 1 },
      { kind: 'chunks', bytes: 7 },
      { kind: 'insert', event: { type: 'new_event' }, at: { event: 3 } },
      { kind: 'duplicate_start' },
    ])('encoded as $kind: the complete answer', async (fault) => {
      checkWhole(mode, await run(mode, plan(fault)))
    })

    test.each(['bad_json', 'drop', 'repeat', 'spliced_start', 'wrong_index'] as const)(
      '%s at any event: the recorded output of the server',
      async (kind) => {
        await forEach(places(kind), async (event) => {
          checkRecorded(await run(mode, plan({ kind, at: { event }, times: 1 })))
        })
      },
    )

    test('without its last line end: the recorded output of the server', async () => {
      checkRecorded(await run(mode, plan({ kind: 'no_final_blank_line' })))
    })
  })
})
