import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Envelope } from '../../../events/index.ts'
import { createSession } from './http-session.ts'
import { type ForeignReader, translateResponse } from './translate-response.ts'

const say = (type: string, delta: string, final = true): Envelope => ({
  type,
  agent: 'mill',
  final,
  delta,
})

/** Creates a reader of a format in which each frame is a word, and `bye` ends the stream. */
function wordReader(): ForeignReader {
  let isOver = false
  return {
    read: ({ data }) => {
      isOver = data === 'bye'
      if (data === 'hello') return [say('meta_init', '{"user_query":"go"}')]
      return isOver ? [say('text', ''), say('meta_end', '{}')] : [say('text', data, false)]
    },
    finish: () => (isOver ? [] : [say('text', ''), say('error', '{"message":"cut"}')]),
  }
}

const words = (...list: readonly string[]): string =>
  list.map((word) => `data: ${word}\n\n`).join('')

/** Creates a body in pieces of these repeated sizes; `fails` makes it fail at its end. */
function toBody(text: string, sizes: readonly number[], fails = false): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  let turn = 0
  return new ReadableStream({
    pull(controller) {
      const size = sizes[turn++ % sizes.length] ?? 1
      if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += size)))
      else if (fails) controller.error(new Error('gone'))
      else controller.close()
    },
  })
}

const sse = { headers: { 'content-type': 'text/event-stream' } }

test('a session shows the stream of another server, for any chunks', async () => {
  const text = words('hello', 'rye ', 'and ', 'wheät', 'bye')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), async (sizes) => {
      const fetch = () =>
        Promise.resolve(translateResponse(new Response(toBody(text, sizes), sse), wordReader()))
      const session = createSession({ url: 'http://mill.example', session: 'mill', fetch })
      await session.run('go')
      // Frames of a second run are appended, because foreign streams have no ids.
      await session.run('go')
      const { transcript } = session.getSnapshot()
      expect(transcript.status).toBe('complete')
      const blocks = [...(transcript.agents.at(0)?.blocks ?? [])]
      expect(blocks.map((block) => 'text' in block && block.text)).toEqual([
        'rye and wheät',
        'rye and wheät',
      ])
      session.close()
    }),
    { numRuns: 30 },
  )
})

test.each([['ends', false] as const, ['breaks', true] as const])(
  'a stream that %s before its end is an error, and is not requested again',
  async (_, fails) => {
    let asked = 0
    const fetch = () => {
      asked++
      const body = toBody(words('hello', 'rye'), [3], fails)
      return Promise.resolve(translateResponse(new Response(body, sse), wordReader()))
    }
    const session = createSession({ url: 'http://mill.example', session: 'mill', fetch })
    await session.run('go')
    const { transcript } = session.getSnapshot()
    expect(transcript).toMatchObject({ status: 'error', error: { message: 'cut' } })
    expect(asked).toBe(1)
    session.close()
  },
)

test('a response that is not an event stream is passed through', () => {
  const refused = Response.json({ error: 'no' }, { status: 403 })
  expect(translateResponse(refused, wordReader())).toBe(refused)
})

test('a reader that stops cancels the request to the other server', async () => {
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(words('rye'))),
    cancel: () => {
      isCancelled = true
    },
  })
  const translated = translateResponse(new Response(body, sse), wordReader())
  const reader = translated.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect(isCancelled).toBe(true)
})
