import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isMillraceError } from '../errors/index.ts'
import { decodeSse, encodeSse, HEARTBEAT_FRAME, type SseBody } from './index.ts'

const encoder = new TextEncoder()

interface WatchedBody {
  readonly body: SseBody
  readonly closed: () => number
}

/** A body that records its cancellation. After its chunks it ends, fails, or stays open. */
type After = 'end' | 'fail' | 'hang'

const kinds: Record<string, (chunks: readonly string[], after: After) => WatchedBody> = {
  ReadableStream(chunks, after) {
    let closed = 0
    const rest = [...chunks]
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const chunk = rest.shift()
          if (chunk !== undefined) controller.enqueue(encoder.encode(chunk))
          else if (after === 'end') controller.close()
          else if (after === 'fail') controller.error(new Error('cut'))
        },
        cancel: () => void closed++,
      },
      { highWaterMark: 0 },
    )
    return { body, closed: () => closed }
  },
  AsyncIterable(chunks, after) {
    let closed = 0
    const rest = [...chunks]
    const iterator: AsyncIterator<Uint8Array> = {
      next: async () => {
        const chunk = rest.shift()
        if (chunk !== undefined) return { done: false, value: encoder.encode(chunk) }
        if (after === 'fail') throw new Error('cut')
        if (after === 'hang') return new Promise(() => {})
        return { done: true, value: undefined }
      },
      return: async () => {
        closed++
        return { done: true, value: undefined }
      },
    }
    return { body: { [Symbol.asyncIterator]: () => iterator }, closed: () => closed }
  },
}

describe.each(Object.entries(kinds))('from a %s', (_, open) => {
  test('yields one list of events for each chunk, empty if it completes none', async () => {
    const { body, closed } = open(
      ['data: a\n\ndata: b\n\nda', 'ta: c', '\n\n', HEARTBEAT_FRAME],
      'end',
    )
    const lists: string[][] = []
    for await (const events of decodeSse(body)) lists.push(events.map(({ data }) => data))
    expect(lists).toEqual([['a', 'b'], [], ['c'], []])
    expect(closed()).toBe(0)
  })

  test('gives the same events for any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string()),
        fc.integer({ min: 1, max: 9 }),
        async (texts, size) => {
          const stream = texts.map((data) => encodeSse({ data })).join('')
          const chunks = stream.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
          const data: string[] = []
          for await (const events of decodeSse(open(chunks, 'end').body)) {
            data.push(...events.map((event) => event.data))
          }
          expect(data).toEqual(texts.map((text) => text.replace(/\r\n?/g, '\n')))
        },
      ),
      { numRuns: 50 },
    )
  })

  test('cancels the body when the consumer stops early', async () => {
    const { body, closed } = open(['data: a\n\n', 'data: b\n\n'], 'hang')
    for await (const events of decodeSse(body)) {
      if (events.length > 0) break
    }
    expect(closed()).toBe(1)
  })

  test('throws the reason of the signal during a pending read and cancels the body', async () => {
    const { body, closed } = open(['data: a\n\n'], 'hang')
    const controller = new AbortController()
    const events = decodeSse(body, controller)
    await events.next()
    const waiting = events.next()
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(closed()).toBe(1)
  })

  test('reads nothing if the signal is already aborted', async () => {
    const { body, closed } = open(['data: a\n\n'], 'end')
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(decodeSse(body, { signal }).next()).rejects.toThrow('too late')
    expect(closed()).toBe(1)
  })

  test('throws the error of a failing body', async () => {
    const events = decodeSse(open(['data: a\n\n'], 'fail').body)
    await events.next()
    await expect(events.next()).rejects.toThrow('cut')
  })

  test('[SSE-7] yields the events before a frame that is too large, then throws and cancels', async () => {
    const { body, closed } = open([`data: a\n\ndata: ${'x'.repeat(20)}`], 'hang')
    const events = decodeSse(body, { maxFrameChars: 16 })
    expect((await events.next()).value).toHaveLength(1)
    const error = await events.next().catch((reason: unknown) => reason)
    expect(isMillraceError(error) && error.code).toBe('frame_too_large')
    expect(closed()).toBe(1)
  })
})

test('reports comments and retries', async () => {
  const { body } = kinds['ReadableStream']!([`retry: 1000\n\n${HEARTBEAT_FRAME}`], 'end')
  const heard: unknown[] = []
  const hear = (word: unknown) => heard.push(word)
  for await (const events of decodeSse(body, { onComment: hear, onRetry: hear })) hear(events)
  expect(heard).toEqual([1000, 'ping', []])
})

test('removes the listener from the signal', async () => {
  const signal = new AbortController().signal
  const kept = new Set<unknown>()
  const watched = new Proxy(signal, {
    get(target, name) {
      if (name === 'addEventListener') return (_: string, listener: unknown) => kept.add(listener)
      if (name === 'removeEventListener')
        return (_: string, listener: unknown) => kept.delete(listener)
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const { body } = kinds['ReadableStream']!(['data: a\n\n'], 'end')
  for await (const events of decodeSse(body, { signal: watched })) {
    expect([events.length, kept.size]).toEqual([1, 1])
  }
  expect(kept.size).toBe(0)
})
