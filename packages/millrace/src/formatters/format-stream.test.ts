import { expect, test } from 'vitest'
import {
  messageEnd,
  messageStart,
  textBlock,
  toBody,
} from '../../test/support/models/anthropic-events.ts'
import { formatStream, toSseBody } from './format-stream.ts'
import { jsonFormatter, xmlFormatter } from './wire-formatter.ts'
import type { ProviderInput } from './formatter.ts'
const agent = 'a'
const body = toBody([messageStart(), ...textBlock(0, 'The ', 'wheel'), ...messageEnd()])

/** A source that records whether it was closed, and optionally hangs or fails after its chunks. */
function createSource(pieces: readonly ProviderInput[], after: 'end' | 'hang' | 'fail' = 'end') {
  const state = { isClosed: false, reads: 0 }
  const source: AsyncIterable<ProviderInput> = {
    [Symbol.asyncIterator]: () => {
      const rest = pieces.values()
      return {
        async next() {
          state.reads++
          const { done, value } = rest.next()
          if (done !== true) return { done: false, value }
          if (after === 'hang') return new Promise(() => {})
          if (after === 'fail') throw new Error('socket hang up')
          return { done: true, value: undefined }
        },
        async return() {
          state.isClosed = true
          return { done: true, value: undefined }
        },
      }
    },
  }
  return { source, state }
}

async function collect(source: AsyncIterable<ProviderInput>, signal?: AbortSignal) {
  const data: (string | undefined)[] = []
  for await (const frames of formatStream(source, jsonFormatter({ agent }), { signal })) {
    data.push(...frames.map((frame) => frame.data))
  }
  return data
}

const line = (type: string, final: boolean, delta: string) =>
  JSON.stringify({ type, agent, final, delta })
const cutLine = JSON.stringify({ type: 'text', agent, final: true, delta: '', interrupted: true })
const half = body.slice(0, body.indexOf('wheel'))

test('ends a complete stream with [DONE]', async () => {
  const { source, state } = createSource([body])
  expect(await collect(source)).toEqual([
    line('text', false, 'The '),
    line('text', false, 'wheel'),
    line('text', true, ''),
    '[DONE]',
  ])
  expect(state.isClosed).toBe(false)
})

test('reports a failed source as an error in the stream, after closing open blocks', async () => {
  const { source } = createSource([half], 'fail')
  const data = await collect(source)
  expect(data.slice(0, 2)).toEqual([line('text', false, 'The '), cutLine])
  expect(data[2]).toContain('connection_lost')
  expect(data[2]).toContain('socket hang up')
  expect(data[3]).toBe('[DONE]')
})

test('a signal ends a stream that hangs: open blocks are closed, the source is cancelled', async () => {
  const stop = new AbortController()
  const { source, state } = createSource([half], 'hang')
  const found = collect(source, stop.signal)
  await expect.poll(() => state.reads).toBe(2)
  stop.abort()
  expect(await found).toEqual([line('text', false, 'The '), cutLine, '[DONE]'])
  expect(state.isClosed).toBe(true)
})

test('an aborted signal reads nothing', async () => {
  const { source, state } = createSource([half])
  expect(await collect(source, AbortSignal.abort())).toEqual(['[DONE]'])
  expect(state).toEqual({ isClosed: true, reads: 0 })
})

test.each([
  ['an error', toBody([{ type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }])],
  ['a frame that is no JSON', 'data: {\n\n'],
  ['a frame that is too large', `data: ${'x'.repeat(2000)}`],
])('reads nothing more after %s, and cancels the source', async (_, last) => {
  for (const formatter of [
    jsonFormatter({ agent, maxFrameChars: 1000 }),
    xmlFormatter({ agent, maxFrameChars: 1000 }),
  ]) {
    const { source, state } = createSource([half, last], 'hang')
    const data: (string | undefined)[] = []
    for await (const frames of formatStream(source, formatter)) {
      data.push(...frames.map((frame) => frame.data))
    }
    expect(data.filter((one) => one?.includes('error'))).toHaveLength(1)
    expect(data.at(-1)).toBe('[DONE]')
    expect(state).toEqual({ isClosed: true, reads: 2 })
  }
})

test('produces a body as it is read, and cancelling it closes the source', async () => {
  const { source, state } = createSource(body.split(''), 'hang')
  const reader = toSseBody(source, jsonFormatter({ agent })).getReader()
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toBe(`data: ${line('text', false, 'The ')}\n\n`)
  expect(state.reads).toBeLessThan(body.length)
  await reader.cancel()
  await expect.poll(() => state.isClosed).toBe(true)
})

test('cancelling a body whose source hangs closes the source', async () => {
  const { source, state } = createSource([], 'hang')
  const reader = toSseBody(source, jsonFormatter({ agent })).getReader()
  const read = reader.read()
  await reader.cancel()
  expect(await read).toEqual({ done: true, value: undefined })
  await expect.poll(() => state.isClosed).toBe(true)
})

test('accepts a body of fetch', async () => {
  const upstream = new Response(body).body!
  const text = await new Response(toSseBody(upstream, jsonFormatter({ agent }))).text()
  expect(text.endsWith(`data: ${line('text', true, '')}\n\ndata: [DONE]\n\n`)).toBe(true)
})
