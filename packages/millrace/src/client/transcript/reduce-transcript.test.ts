import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { arbitraryStream } from '../../../test/support/frames/arbitrary-stream.ts'
import { decodeFrames } from '../../../test/support/frames/decode-frames.ts'
import { decodeEnvelope, type Envelope, type StreamEvent } from '../../events/index.ts'
import { chunkPayload } from '../../events/envelope/chunk.ts'
import { createFrameReducer } from '../../testing/frame-reducer.ts'
import { toView } from '../../testing/transcript-view.ts'
import { agentOf } from './agents.ts'
import { cutTranscript } from './reduce-transcript.ts'
import {
  createTranscript,
  endTranscript,
  reduceTranscript,
  rootAgent,
  type Transcript,
} from './index.ts'

function message(type: string, delta = '', extra: object = {}): Envelope {
  return { type, agent: 'root', final: false, delta, ...extra }
}

function reduceAll(messages: readonly Envelope[], from = createTranscript()): Transcript {
  return reduceEvents(decodeFrames(messages), from)
}

function reduceEvents(
  events: readonly (StreamEvent | undefined)[],
  from = createTranscript(),
): Transcript {
  return events.reduce((sum, event) => reduceTranscript(sum, event), from)
}

/** All properties that are visible from outside, keys included. */
function contentOf(transcript: Transcript): unknown {
  const keys = [...transcript.agents].map((agent) => [...agent.blocks].map(({ key }) => key))
  return { ...toView(transcript), last: transcript.lastId, error: transcript.error ?? null, keys }
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const ends = [...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b)
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
}

describe('blocks [ENV-5] [ENV-7]', () => {
  const stream = fc.record({
    agent: fc.constantFrom('root', 'left', 'right'),
    type: fc.constantFrom('text', 'thinking', 'tool_call', 'tool_result', 'server_tool_result'),
    text: fc.string({ maxLength: 40, unit: 'binary' }),
    cuts: fc.array(fc.nat(), { maxLength: 8 }),
  })

  test('any split of any blocks in any interleaving gives the same blocks', () => {
    fc.assert(
      fc.property(
        fc.array(stream, { maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        (blocks, pick) => {
          const queues = blocks.map(({ agent, type, text, cuts }, index) => {
            const pieces = cutAt(text, cuts)
            return pieces.map((delta, at): Envelope => {
              return { type, agent, id: `b${index}`, final: at === pieces.length - 1, delta }
            })
          })
          let transcript = createTranscript()
          const reduce = createFrameReducer()
          for (
            let left = [...queues];
            left.length > 0;
            left = left.filter((one) => one.length > 0)
          ) {
            const next = left[pick.next().value % left.length]!.shift()
            if (next !== undefined) transcript = reduce(transcript, next)
          }
          for (const [index, { agent, type, text }] of blocks.entries()) {
            const found = [...agentOf(transcript, agent)!.blocks].find(
              ({ id }) => id === `b${index}`,
            )
            expect(found).toMatchObject({ type, text, done: true, interrupted: false })
          }
        },
      ),
    )
  })

  test('a text of many small deltas is the text, on both sides of every internal boundary', () => {
    const pieces = Array.from({ length: 3000 }, (_, n) => `${n},`)
    let transcript = createTranscript()
    const reduce = createFrameReducer()
    let text = ''
    for (const piece of pieces) {
      transcript = reduce(transcript, message('text', piece))
      text += piece
      const block = rootAgent(transcript)?.blocks.at(0)
      if (text.length % 7 === 0) expect(block).toMatchObject({ text })
    }
    expect(rootAgent(transcript)?.blocks.at(0)).toMatchObject({ text })
  })

  test('a result in chunks, with any chunks of long extras, is complete [CHUNK-5]', () => {
    const long = 'é"\\'.repeat(900)
    const extras = { id: 's', name: long, server_name: `x${long}`, is_error: true }
    for (const type of ['server_tool_call', 'server_tool_result']) {
      const lines = chunkPayload({ type, agent: 'root', payload: long, extras, maxBytes: 512 })
      const transcript = reduceAll([...lines].map(decodeEnvelope))
      const block = rootAgent(transcript)?.blocks.at(0)
      expect(block).toMatchObject({ type, id: 's', name: long, text: long, done: true })
      if (type === 'server_tool_call') expect(block).toMatchObject({ serverName: `x${long}` })
      else expect(block).toMatchObject({ isError: true })
      expect(rootAgent(transcript)?.blocks.length).toBe(1)
    }
  })
})

describe('resuming [LOG-3] [LOG-5]', () => {
  test('continuing after any id, with frames repeated before and after any cut, changes nothing', () => {
    fc.assert(
      fc.property(
        arbitraryStream(),
        fc.array(fc.record({ at: fc.nat(), back: fc.nat(), cut: fc.boolean() }), { maxLength: 5 }),
        (messages, breaks) => {
          const ids = messages.map((one, index) => ({ one, id: index + 1 }))
          const reduceWhole = createFrameReducer()
          const whole = ids.reduce(
            (sum, { one, id }) => reduceWhole(sum, one, id),
            createTranscript(),
          )
          const reduce = createFrameReducer()
          let transcript = createTranscript()
          for (const { at, back, cut } of breaks) {
            const start = back % (transcript.lastId + 1)
            const end = Math.max(at % (messages.length + 1), start)
            for (const { one, id } of ids.slice(start, end)) {
              transcript = reduce(transcript, one, id)
            }
            if (cut) cutTranscript(transcript) // shown, and left no trace
          }
          for (const { one, id } of ids) transcript = reduce(transcript, one, id)
          const last = [whole, transcript].map((one) => endTranscript(one))
          expect(contentOf(last[1]!)).toEqual(contentOf(last[0]!))
        },
      ),
    )
  })

  test('a repeated frame returns the same object', () => {
    const reduce = createFrameReducer()
    const one = reduce(createTranscript(), message('text', 'a'), 1)
    expect(reduce(one, message('text', 'a'), 1)).toBe(one)
    expect(reduce(one, message('text', 'a'), 0)).toBe(one)
  })

  test('a gap is marked once, adds nothing, and the next valid frame clears the mark', () => {
    const reduce = createFrameReducer()
    const one = reduce(createTranscript(), message('text', 'a'), 1)
    const gap = reduce(one, message('text', 'c'), 3)
    expect([gap.gapAfter, gap.lastId, gap.agents]).toEqual([1, 1, one.agents])
    expect(reduce(gap, message('text', 'd'), 4)).toEqual(gap)
    const next = reduce(gap, message('text', 'b'), 2)
    expect([next.gapAfter, next.lastId]).toEqual([undefined, 2])
  })

  test('a trimmed log can be read from its first frame', () => {
    const reduce = createFrameReducer()
    const next = reduce(createTranscript(499), message('text', 'a'), 500)
    expect([next.gapAfter, next.lastId]).toEqual([undefined, 500])
  })

  test('unknown types only advance the id [ENV-9]', () => {
    const reduce = createFrameReducer()
    const one = reduce(createTranscript(), message('text', 'a'), 1)
    const two = reduce(one, message('news'), 2)
    expect([two.lastId, two.agents, two.status]).toEqual([2, one.agents, one.status])
    expect(reduce(two, message('news'))).toBe(two)
  })
})

describe('snapshots', () => {
  function freeze<T>(value: T): T {
    if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
    Object.freeze(value)
    for (const item of Object.values(value)) freeze(item)
    if (Symbol.iterator in value && !(value instanceof Map)) {
      for (const item of value as Iterable<unknown>) freeze(item)
    }
    return value
  }

  test('none changes after it was returned', () => {
    fc.assert(
      fc.property(arbitraryStream(), (messages) => {
        const seen: { transcript: Transcript; content: string }[] = []
        let transcript = freeze(createTranscript())
        for (const one of decodeFrames(messages)) {
          transcript = freeze(reduceTranscript(transcript, freeze(one)))
          seen.push({ transcript, content: JSON.stringify(contentOf(transcript)) })
        }
        freeze(endTranscript(transcript))
        for (const one of seen) {
          expect(JSON.stringify(contentOf(one.transcript))).toBe(one.content)
        }
      }),
    )
  })

  test('reducing an old one again is independent of the other', () => {
    // A log uses the id of a call once [LIFE-5]; each variant gets separate ids.
    const here = fc.nat({ max: 30 }).map((n) => `here${n}`)
    const there = fc.nat({ max: 30 }).map((n) => `there${n}`)
    fc.assert(
      fc.property(arbitraryStream(here), arbitraryStream(there), fc.nat(), (left, right, at) => {
        const cut = at % (left.length + 1)
        const own = decodeFrames(left)
        const others = decodeFrames([...left.slice(0, cut), ...right]).slice(cut)
        const stem = reduceEvents(own.slice(0, cut))
        const first = reduceEvents(own.slice(cut), stem)
        const second = reduceEvents(others, stem)
        const again = reduceEvents(own.slice(cut), stem)
        expect(contentOf(first)).toEqual(contentOf(reduceAll(left)))
        expect(contentOf(second)).toEqual(contentOf(reduceAll([...left.slice(0, cut), ...right])))
        expect(contentOf(again)).toEqual(contentOf(first))
        const further = message('tool_result', 'late', { id: 'here1', final: true })
        const [late] = decodeFrames([...left, further]).slice(-1)
        expect(contentOf(reduceTranscript(first, late))).toEqual(
          contentOf(reduceAll([...left, further])),
        )
      }),
    )
  })

  test('share everything that a frame did not change', () => {
    const before = reduceAll([
      message('text', 'a'),
      message('tool_call', '{}', { id: 'c', final: true }),
      message('text', 'b', { agent: 'left' }),
      message('thinking', 'c', { agent: 'right' }),
    ])
    const after = reduceAll([message('text', 'b', { agent: 'left' })], before)
    expect(agentOf(after, 'root')).toBe(agentOf(before, 'root'))
    expect(agentOf(after, 'right')).toBe(agentOf(before, 'right'))
    expect(after.pending).toBe(before.pending)
    const next = reduceAll([message('text', 'b')], after)
    expect(rootAgent(next)?.blocks.at(1)).toBe(rootAgent(after)?.blocks.at(1))
    expect(rootAgent(next)?.runs).toBe(rootAgent(after)?.runs)
  })
})

describe('the cost of a frame', () => {
  /** The number of list items that are copied or read during an operation: nodes are copied by `slice` alone. */
  function countWork(work: () => void): { readonly copied: number; readonly read: number } {
    const copies = vi.spyOn(Array.prototype, 'slice')
    const reads = vi.spyOn(Object.getPrototypeOf(createTranscript().agents), 'at')
    try {
      work()
      const copied = copies.mock.results.reduce((sum, { value }) => sum + value.length, 0)
      return { copied, read: reads.mock.calls.length }
    } finally {
      copies.mockRestore()
      reads.mockRestore()
    }
  }

  function grown(agents: number, blocks: number): Transcript {
    let transcript = createTranscript()
    const reduce = createFrameReducer()
    for (let agent = 0; agent < agents; agent++) {
      const who = agent === 0 ? 'root' : `a${agent}`
      transcript = reduce(transcript, message('text', '', { agent: who, final: true }))
    }
    transcript = reduce(transcript, message('tool_call', '{}', { id: 'c', final: true }))
    for (let block = 0; block < blocks; block++) {
      transcript = reduce(transcript, message('text', 'x', { final: true }))
    }
    return transcript
  }

  test('is bounded after 100,000 blocks and among 1,000 agents', () => {
    const many = grown(1000, 100_000)
    const deltas = [
      message('text', 'a'),
      message('text', 'b'),
      message('tool_result', 'late', { id: 'c' }),
      message('tool_result', 'later', { id: 'c' }),
      message('server_tool_result', 'of no call', { id: 'block_7', final: true }),
      message('tool_result_image', '', { id: 'of no result', src: '/i', media_type: 'image/png' }),
      message('text', '', { final: true }),
      message('thinking', 'x', { agent: 'a777' }),
      message('thinking', 'x', { agent: 'a new one' }),
      message('rollback', '{}', { final: true }),
    ]
    let transcript = many
    let total = 0
    for (const delta of decodeFrames(deltas)) {
      const { copied, read } = countWork(() => {
        transcript = reduceTranscript(transcript, delta)
      })
      // Two nodes of 64 and a root of 100,000 / 4,096 in each of the two lists.
      expect(copied).toBeLessThan(2 * (64 + 64 + 25))
      expect(read).toBeLessThan(20)
      total += copied
    }
    expect(total).toBeGreaterThan(64)
    expect(rootAgent(transcript)?.blocks.at(1)).toMatchObject({ result: { text: 'latelater' } })
  })

  test('of more text includes no copy for a single agent', () => {
    const [first, second] = decodeFrames([message('text', 'a'), message('text', 'b')])
    const transcript = reduceTranscript(grown(1, 10_000), first)
    const { copied } = countWork(() => reduceTranscript(transcript, second))
    expect(copied).toBe(0)
  })
})

test('no frame throws, with any content', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.object(), arbitraryStream()), { maxLength: 5 }), (parts) => {
      const messages = parts.flatMap(([odd, stream]) => stream.map((one) => ({ ...odd, ...one })))
      expect(() => endTranscript(reduceAll(messages))).not.toThrow()
    }),
  )
})

describe('[LIFE-5] a call and its result', () => {
  const message = (type: string, fields: Partial<Envelope> = {}): Envelope => ({
    type,
    agent: 'root',
    final: true,
    delta: '',
    ...fields,
  })
  const named = (id: string) => ({ id, name: 'f' })

  test('give the same blocks in either order', () => {
    const ids = fc.uniqueArray(fc.constantFrom('1', '2', '3', '4'), { minLength: 1 })
    fc.assert(
      fc.property(ids, fc.boolean(), fc.infiniteStream(fc.boolean()), (list, isServer, flips) => {
        const type = isServer ? 'server_tool' : 'tool'
        const pairs = list.map((id) => [
          message(`${type}_call`, { delta: '{}', ...named(id) }),
          message(`${type}_result`, { delta: `"${id}"`, ...named(id) }),
        ])
        const shown = (messages: readonly Envelope[]) =>
          [...(rootAgent(reduceAll(messages))?.blocks ?? [])].map(({ type: kind, id, result }) => ({
            kind,
            id,
            result: result?.text,
          }))
        const mixed = pairs.flatMap((pair) => (flips.next().value ? pair.toReversed() : pair))
        expect(shown(mixed)).toEqual(shown(pairs.flat()))
        const results = pairs.map(([, result]) => result!)
        const calls = pairs.map(([call]) => call!)
        expect(shown([...results, ...calls])).toEqual(shown(pairs.flat()))
      }),
    )
  })

  test('of two runs are not paired, nor are those of two agents', () => {
    const result = message('tool_result', named('1'))
    const call = message('tool_call', named('1'))
    const init = message('meta_init', { delta: '{}' })
    const blocksOf = (messages: readonly Envelope[]) =>
      [...reduceAll(messages).agents].map(({ blocks }) => [...blocks].map(({ type }) => type))
    expect(blocksOf([init, result, init, call])).toEqual([['tool_result', 'tool_call']])
    expect(blocksOf([init, result, { ...call, agent: 'child' }])).toEqual([
      ['tool_result'],
      ['tool_call'],
    ])
  })
})
