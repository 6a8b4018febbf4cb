import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyMove, playRun } from '../../../test/support/agents/any-run.ts'
import { readLog, type Received, toSight } from '../../../test/support/frames/log-client.ts'
import { runs } from '../../../test/support/runs.ts'
import { createEnvelopeWriter, encodeEnvelope, type Envelope } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Appended, Store } from '../../stores/port/index.ts'
import { createFeeds } from '../feeds/feed.ts'
import { untilReady } from './chunk-source.ts'
import { completedAt, type Completion, createCompletion } from './completion.ts'
import { readFrames } from './log-reader.ts'

const encoder = new TextEncoder()
const session = 's'

async function createLog(lines: readonly string[]): Promise<Store> {
  const store = createMemoryStore()
  await store.open(session)
  await append(store, 0, lines)
  return store
}

const append = (store: Store, tail: number, lines: readonly string[]): Promise<Appended> =>
  store.append({ session, epoch: 1, tail, lines: lines.map((line) => encoder.encode(line)) })

const bounds = { heartbeatMs: 10_000, maxLineBytes: 2_048, maxChunkBytes: 32_768 }

/** Creates readers of a log whose frames up to `tail` were stored at the time of the request. */
const opener = (
  store: Store,
  options: { tail: number; completion: Completion; isCompact?: boolean } & Partial<typeof bounds>,
) => {
  const feeds = createFeeds({ store, heartbeatMs: 10_000 })
  return (after: number) => readFrames({ store, feeds, session, after, ...bounds, ...options })
}

const spanOf = ({ envelope }: Received): number => envelope.span ?? 1

/** Arbitrary lines of a run, as the server writes them. */
const runLines = fc
  .record({
    moves: fc.array(anyMove, { maxLength: 60 }),
    isLive: fc.boolean(),
    maxBytes: fc.constantFrom(512, 2_048),
  })
  .map(({ moves, isLive, maxBytes }) => {
    const writer = createEnvelopeWriter({ maxBytes, toolInput: isLive ? 'live' : 'buffered' })
    const { events } = playRun(moves, isLive)
    return { lines: events.flatMap((event) => writer.write(event)), maxBytes }
  })

const head = fc.constantFrom(
  { type: 'text' },
  { type: 'text', id: 'p' },
  { type: 'thinking' },
  { type: 'tool_call', id: 't1', name: 'grind' },
  { type: 'server_tool_call', id: 't1', name: 'grind' },
  { type: 'tool_result', id: 't1', name: 'grind' },
)
const hardChunk = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '\ud83d', '\ude00', '"', '\\', '\n', 'é', '😀'),
)

/** Lines of interleaved blocks with many small deltas. */
const burstLines = fc
  .array(
    fc.record({
      head,
      agent: fc.constantFrom(session, 'sub'),
      deltas: fc.array(hardChunk, { size: 'large', maxLength: 40 }),
      isClosed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((bursts) => {
    const messages = bursts.flatMap(({ head: extras, agent, deltas, isClosed }) =>
      [...deltas, ...(isClosed ? ['last'] : [])].map((delta) => ({
        ...extras,
        agent,
        final: delta === 'last',
        delta,
      })),
    )
    return { lines: messages.map(encodeEnvelope), maxBytes: 512 }
  })

const anyLines = fc.oneof(runLines, burstLines)
// fast-check draws doubles by their bits, so most lie near 0 or 1 and some runs would merge nothing.
const anyShare = fc.noBias(fc.nat(1000)).map((thousandths) => thousandths / 1000)

describe('[LOG-5] catching up', () => {
  test('yields the transcript of the plain log, for any log, cursor, disconnect and resume', async () => {
    const range = fc.record({
      log: anyLines,
      cuts: fc.array(fc.nat(3_000), { maxLength: 6 }),
      cursor: anyShare,
      edge: anyShare,
    })
    let merged = 0
    await fc.assert(
      fc.asyncProperty(range, async ({ log: { lines, maxBytes }, cuts, cursor, edge }) => {
        const store = await createLog(lines)
        const hasRollback = lines.some((line) => line.startsWith('{"type":"rollback"'))
        const after = Math.floor(cursor * lines.length)
        const tail = Math.floor(edge * lines.length)
        const completion = completedAt(lines.length)
        const options = { completion, tail, maxLineBytes: maxBytes, maxChunkBytes: 4_096 }
        const plain = await readLog(opener(store, { ...options, isCompact: false }), { after })
        const compact = await readLog(opener(store, options), { after, cuts })
        expect(toSight(compact.transcript)).toEqual(toSight(plain.transcript))
        for (const { id, data, envelope } of compact.received) {
          expect(encoder.encode(data).length).toBeLessThanOrEqual(maxBytes)
          if (envelope.span === undefined) continue
          expect(id).toBeLessThanOrEqual(tail)
          // Only omitted void content counts in the span of a whole frame. [LOG-10]
          expect(envelope.final && !hasRollback).toBe(false)
        }
        merged += compact.received.filter((one) => spanOf(one) > 1).length
      }),
      { numRuns: runs(100, 3_000) },
    )
    expect(merged).toBeGreaterThan(0)
  })

  const delta = (text: string, extras: object = {}): string => {
    const envelope: Envelope = { type: 'text', agent: session, final: false, delta: text }
    return encodeEnvelope({ ...envelope, ...extras })
  }
  const words = Array.from({ length: 40 }, (_, index) => delta(`${index} `))

  const catchUp = async (lines: readonly string[], after = 0) => {
    const store = await createLog(lines)
    const options = { completion: completedAt(lines.length), tail: lines.length }
    const { received } = await readLog(opener(store, options), { after })
    return received.map((one) => [one.id, spanOf(one), one.envelope.delta])
  }

  test('merges adjacent deltas up to the line limit, with the id of the last', async () => {
    const whole = words.map((_, index) => `${index} `).join('')
    expect(await catchUp(words)).toEqual([[40, 40, whole]])
    const long = Array.from({ length: 20 }, () => delta('x'.repeat(200)))
    const spans = (await catchUp(long)).map(([, span]) => span)
    expect(spans).toEqual([9, 9, 2])
  })

  test('a cursor inside a range that was merged for another reader gets the rest', async () => {
    const rest = words.slice(17).map((_, index) => `${index + 17} `)
    expect(await catchUp(words, 17)).toEqual([[40, 23, rest.join('')]])
  })

  test('joins surrogate halves and escapes unchanged', async () => {
    const halves = Array.from({ length: 10 }, () => [delta('\ud83d'), delta('\ude00"\\')]).flat()
    expect(await catchUp(halves)).toEqual([[20, 20, '😀"\\'.repeat(10)]])
  })

  test.each<[string, object]>([
    ['another type', { type: 'thinking' }],
    ['another agent', { agent: 'other' }],
    ['another block', { id: 'b' }],
    ['a field that goes on', { name: 'x', more: { name: 'text' } }],
    ['a block that ends', { final: true }],
    ['a type that is not sent as it is made', { type: 'tool_result', id: 't', name: 'n' }],
  ])('nothing is merged with %s', async (_, extras) => {
    const lines = [...words.slice(0, 10), delta('!', extras), ...words.slice(0, 10)]
    const spans = (await catchUp(lines)).map(([, span]) => span)
    expect(spans).toEqual([10, 1, 10])
  })

  test('a few frames are sent unmerged', async () => {
    expect(await catchUp(words.slice(0, 8))).toHaveLength(8)
    expect(await catchUp(words, 32)).toHaveLength(8)
  })

  test('merges nothing across the tail or after it', async () => {
    const store = await createLog(words.slice(0, 20))
    const completion = createCompletion()
    const found = readLog(opener(store, { completion, tail: 20 }))
    await new Promise((resolve) => setTimeout(resolve, 5))
    await append(store, 20, words.slice(20))
    completion.complete(40)
    const spans = (await found).received.map(spanOf)
    expect(spans).toEqual([20, ...words.slice(20).map(() => 1)])
  })

  test('a reader that fell behind its feed gets every frame unmerged', async () => {
    const store = await createLog([])
    const completion = createCompletion()
    const open = opener(store, { completion, tail: 0 })
    // Another reader keeps up, so that the log has a feed.
    const other = readLog(open)
    const slow = open(0)
    expect(slow.take()).toBeDefined()
    await untilReady(slow)
    const many = Array.from({ length: 2_000 }, () => words[10] ?? '')
    for (let tail = 0; tail < many.length;) {
      ;({ tail } = await append(store, tail, many.slice(tail, tail + 100)))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    completion.complete(many.length)
    expect((await other).received).toHaveLength(many.length)
    expect((await readLog(() => slow)).received).toHaveLength(many.length)
  })
})
