import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toDecisionFields, type ToolStatus, createEnvelopeWriter } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { readDecisions } from './decisions-view.ts'
import { RunRecord } from '../runs/run-record.ts'
import { RecordWriter } from './record-writer.ts'
import type { SessionHead, StoredSession } from './session-record.ts'

const session = 'a'
const encoder = new TextEncoder()

/** The content of a log: decisions with edited arguments of this many characters, and other frames. */
type Move = number | 'progress' | 'long progress'

/** Writes a log; returns the ids of its decisions, and a function that reads them page by page. */
async function write(moves: readonly Move[], keep = Infinity) {
  const store = createMemoryStore({ maxMessagesPerSession: keep })
  const writer = createEnvelopeWriter({ maxBytes: 512 })
  const { epoch } = await store.open(session)
  const ids: number[] = []
  const lines: string[] = []
  moves.forEach((move, index) => {
    if (typeof move === 'number') ids.push(lines.length + 1)
    lines.push(...writer.write(toStatus(move, `t${index}`)))
  })
  await store.append({
    session,
    epoch,
    tail: 0,
    lines: lines.map((line) => encoder.encode(line)),
  })
  const info = await store.info(session)
  if (info === undefined) throw new Error('no session')
  const head = {} as SessionHead
  const read = (after: number, limit: number) =>
    readDecisions(store, { info, head }, { after, limit, rules: undefined })
  const readAll = async (after: number, limit: number) => {
    const pages = [await read(after, limit)]
    for (let last = pages[0]; last?.has_more === true; last = pages.at(-1))
      pages.push(await read(last.cursor, limit))
    return pages
  }
  return { ids, tail: lines.length, info, readAll }
}

function toStatus(move: Move, id: string): ToolStatus {
  const status = { type: 'tool_status', agent: session, callId: id, name: 'shell' } as const
  if (typeof move !== 'number') {
    const detail = move === 'progress' ? '"at":"' : 'x'.repeat(600)
    return { ...status, stage: 'progress', detail }
  }
  const fields = toDecisionFields({ by: 'anna', at: 0, inputHash: 'h', isEdited: true })
  return { ...status, stage: 'approved', detail: toInput(move), fields }
}

const toInput = (length: number): string => JSON.stringify({ command: 'x'.repeat(length) })

const anyMove = fc.oneof(
  fc.constantFrom('progress' as const, 'long progress' as const),
  fc.nat(2_000),
)
const anyMoves = fc.array(anyMove, { maxLength: 30 })

describe('the decisions of a session', () => {
  test('do not enlarge its head', () => {
    const stored = { version: 2, answers: [] } as unknown as StoredSession
    const kept = new RunRecord(stored, new RecordWriter())
    const sizeAfter = (id: number): number => {
      kept.follow(toStatus(3, 't'), id, id)
      return kept.take(id)?.().head?.length ?? NaN
    }
    const sizes = Array.from({ length: 1_000 }, (_, index) => sizeAfter(1_000 + index))
    expect(new Set(sizes).size).toBe(1)
  })

  test('are those in its log, each once and complete, from any id on and in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(anyMoves, fc.nat(200), fc.integer({ min: 1, max: 5 }), async (...given) => {
        const [moves, after, limit] = given
        const { ids, readAll } = await write(moves)
        const pages = await readAll(after, limit)
        const decisions = pages.flatMap((page) => page.decisions)
        const lengths = moves.filter((move) => typeof move === 'number')
        const all = ids.map((id, at) => ({ id, input: { command: 'x'.repeat(lengths[at] ?? 0) } }))
        const wanted = all.filter(({ id }) => id > after)
        expect(decisions).toMatchObject(wanted)
        expect(decisions.length).toBe(wanted.length)
        for (const page of pages) expect(page.decisions.length).toBeLessThanOrEqual(limit)
      }),
    )
  })

  test('of a trimmed log are the complete ones', async () => {
    await fc.assert(
      fc.asyncProperty(anyMoves, fc.integer({ min: 1, max: 40 }), async (moves, keep) => {
        const { ids, info, readAll } = await write(moves, keep)
        const [first] = await readAll(0, 100)
        const edge = info.earliest > 1 ? info.earliest : 0
        expect(first?.decisions.map(({ id }) => id)).toEqual(ids.filter((id) => id > edge))
        expect(first?.earliest).toBe(info.earliest)
      }),
    )
  })

  test('of a long log are read from a part of it at a time', async () => {
    const moves = Array.from({ length: 50_000 }, (_, at): Move => (at === 49_000 ? 3 : 'progress'))
    const { ids, readAll } = await write(moves)
    const pages = await readAll(0, 20)
    expect(pages.length).toBeGreaterThan(2)
    expect(pages.flatMap(({ decisions }) => decisions.map(({ id }) => id))).toEqual(ids)
  })
})
