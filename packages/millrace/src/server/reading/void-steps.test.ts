import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import type { LogFormat } from '../../protocols/port/index.ts'
import { blockKey, encodeEnvelope, type Envelope, traitsOf } from '../../events/index.ts'
import { createSseDecoder } from '../../sse/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createFeeds } from '../feeds/feed.ts'
import { createCompletion, completedAt } from './completion.ts'
import { nextChunk, type ChunkReader } from './chunk-source.ts'
import { readFrames, type ReadFramesOptions, readSettled } from './log-reader.ts'
import { decodeCursor } from '../requests/cursor.ts'

const encoder = new TextEncoder()
const KEPT = 'k'
const VOID = 'v'

/** Numbers the blocks of a run: `+3 text` opens the third, `3kk` adds to it, `-3` closes it. */
const numbering: LogFormat = {
  name: 'numbering',
  reads: 'frames',
  headers: {},
  done: 'over',
  open: () => {
    const open = new Map<string, number>()
    let count = 0
    const write = (envelope: Envelope): readonly string[] => {
      const { type, final, delta } = envelope
      const key = blockKey(envelope)
      const number = open.get(key) ?? ++count
      const opening = open.has(key) ? [] : [`+${number} ${type}`]
      open.set(key, number)
      if (final) open.delete(key)
      const content = /^[vk]+$/.test(delta) ? [`${number}${delta}`] : []
      return [...opening, ...content, ...(final ? [`-${number}`] : [])]
    }
    return { write: (envelope) => write(envelope).map((data) => ({ data })), finish: () => [] }
  },
}

const ROOT = 'root'

const anyMoves = fc.array(
  fc.record({
    agent: fc.constantFrom(ROOT, 'sub'),
    does: fc.constantFrom(
      ...(['say', 'say', 'say', 'say', 'close', 'call'] as const),
      ...(['step', 'roll_back', 'roll_back'] as const),
    ),
  }),
  { minLength: 1, maxLength: 50, size: 'max' },
)

/** The log of a run with two agents. The content of a step states whether a rollback voids it. */
const anyLog = anyMoves.map((moves): readonly Envelope[] => {
  const log: Envelope[] = []
  const open = new Set<string>()
  /** Indexes of content that may still become void, by agent. */
  const unsettled = new Map<string, number[]>()
  const say = (agent: string, type: string, delta: string, more: Partial<Envelope> = {}) => {
    const length = log.push({ type, agent, final: true, delta, ...more })
    if (traitsOf(type)?.step === 'content')
      unsettled.set(agent, [...(unsettled.get(agent) ?? []), length - 1])
  }
  const close = (agent: string) => {
    if (open.delete(agent)) say(agent, 'text', '')
  }
  const settle = (agent: string, type: string) => {
    close(agent)
    const places = unsettled.get(agent) ?? []
    unsettled.delete(agent)
    if (type === 'rollback')
      for (const at of places)
        log[at] = { ...log[at]!, delta: log[at]!.delta.replaceAll(KEPT, VOID) }
    say(agent, type, '{}')
  }
  const deeds = {
    say: (agent: string) => {
      open.add(agent)
      say(agent, 'text', 'kk', { final: false })
    },
    close,
    call: (agent: string) => say(agent, 'tool_call', 'kk', { id: `c${log.length}`, name: 'f' }),
    step: (agent: string) => settle(agent, 'meta_step'),
    roll_back: (agent: string) => settle(agent, 'rollback'),
  }
  for (const agent of [ROOT, 'sub']) say(agent, 'meta_init', '{}')
  for (const { agent, does } of moves) deeds[does](agent)
  for (const agent of ['sub', ROOT]) settle(agent, 'meta_end')
  return log
})

interface Frame {
  readonly id: string
  readonly data: string
}

/** A log that grows while a reader reads it over an unreliable connection. */
class GrowingLog {
  readonly #lines: readonly Uint8Array[]
  readonly #store: Store = createMemoryStore()
  readonly frames: Frame[] = []
  #tail = 0

  constructor(envelopes: readonly Envelope[]) {
    this.#lines = envelopes.map((envelope) => encoder.encode(encodeEnvelope(envelope)))
  }

  async open(): Promise<void> {
    await this.#store.open(ROOT)
  }

  async grow(count: number): Promise<void> {
    const lines = this.#lines.slice(this.#tail, this.#tail + count)
    await this.#store.append({ session: ROOT, epoch: 1, tail: this.#tail, lines })
    this.#tail += lines.length
  }

  /** Resumes after the last frame; meanwhile the log grows, and the connection fails after some frames. */
  async read(
    read: (options: ReadFramesOptions) => ChunkReader,
    { grows, cut }: { readonly grows: number; readonly cut: number },
    format?: LogFormat,
  ): Promise<void> {
    const completion = createCompletion()
    const heartbeatMs = 10_000
    const reader = read({
      ...decodeCursor(this.frames.at(-1)?.id ?? '0', undefined),
      store: this.#store,
      session: ROOT,
      tail: this.#tail,
      completion: cut === Infinity ? completedAt(this.#lines.length) : completion,
      heartbeatMs,
      maxLineBytes: 2_048,
      feeds: createFeeds({ store: this.#store, heartbeatMs }),
      ...(format && { format }),
    })
    let left = cut
    const decoder = createSseDecoder({
      onEvent: ({ id = '', data }) => {
        if (left-- > 0 && data !== '[DONE]' && data !== 'over') this.frames.push({ id, data })
      },
    })
    const range = (async () => {
      for (let chunk; left > 0 && (chunk = await nextChunk(reader)) !== undefined;)
        decoder.feed(chunk.bytes)
    })()
    await this.grow(grows)
    if (cut !== Infinity) setTimeout(() => completion.interrupt(), 1)
    await range
    reader.close()
  }
}

const anyVisit = fc.record({ before: fc.nat(40), grows: fc.nat(40), cut: fc.nat(60) })

async function readAll(
  log: readonly Envelope[],
  read: (options: ReadFramesOptions) => ChunkReader,
  visits: readonly { before: number; grows: number; cut: number }[],
  format?: LogFormat,
): Promise<readonly Frame[]> {
  const growing = new GrowingLog(log)
  await growing.open()
  for (const { before, ...visit } of visits) {
    await growing.grow(before)
    await growing.read(read, visit, format)
  }
  await growing.grow(log.length)
  await growing.read(read, { grows: 0, cut: Infinity }, format)
  return growing.frames
}

/** Returns the content of blocks that were opened in order, once, and closed; throws otherwise. */
function contentOf(frames: readonly Frame[]): readonly string[] {
  const open = new Set<string>()
  const contents: string[] = []
  let count = 0
  for (const { data } of frames) {
    const [, sign = '', number = '', rest = ''] = /^([+-]?)(\d+)(.*)$/.exec(data) ?? []
    if (sign === '+' && Number(number) === count + 1) open.add(String(++count))
    else if (sign === '+' || !open.has(number)) throw new Error(`${data} after ${count} blocks`)
    if (sign === '-') open.delete(number)
    if (sign === '') contents.push(rest)
  }
  expect([...open]).toEqual([])
  return contents
}

/** Lists the letters of content in frames, void and kept, merged ones included. */
function lettersIn(frames: readonly Frame[], format: LogFormat | undefined) {
  const texts =
    format === undefined
      ? frames.map(({ data }) => /"delta":"([vk]*)"/.exec(data)?.[1] ?? '')
      : contentOf(frames)
  const all = texts.join('')
  return { void: all.replaceAll(KEPT, '').length, kept: all.replaceAll(VOID, '').length }
}

const countKept = (log: readonly Envelope[]) =>
  2 * log.filter(({ delta }) => delta === KEPT.repeat(2)).length

describe('[LOG-10] a replay', () => {
  test('has all content except void content', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, async (log) => {
        const frames = await readAll(log, readFrames, [])
        expect(lettersIn(frames, undefined)).toEqual({ void: 0, kept: countKept(log) })
      }),
      { numRuns: runs(100, 3000) },
    )
  })

  test('in a dialect is the same after any disconnect, while the log grows', async () => {
    let hidden = 0
    await fc.assert(
      fc.asyncProperty(anyLog, fc.array(anyVisit, { maxLength: 5 }), async (log, visits) => {
        const frames = await readAll(log, readFrames, visits, numbering)
        expect(lettersIn(frames, numbering).kept).toBe(countKept(log))
        hidden += frames.filter(({ id }) => id.includes('~')).length
      }),
      { numRuns: runs(60, 3000) },
    )
    expect(hidden).toBeGreaterThan(0)
  })
})

describe('[LOG-11] a settled reader', () => {
  test.each([
    ['of the log', undefined],
    ['of a dialect', numbering],
  ])('%s gets all content except void content, for any disconnects', async (_, format) => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.array(anyVisit, { maxLength: 5 }), async (log, visits) => {
        const frames = await readAll(log, readSettled, visits, format)
        expect(lettersIn(frames, format)).toEqual({ void: 0, kept: countKept(log) })
      }),
      { numRuns: runs(40, 2000) },
    )
  })
})
