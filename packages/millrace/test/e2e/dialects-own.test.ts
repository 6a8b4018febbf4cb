import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { segmentsReader } from '../../src/protocols/segments/segments-reader.ts'
import { createLegacyXmlDecoder } from '../../src/legacy-xml/decode/message-decoder.ts'
import { createFrameReducer } from '../../src/testing/frame-reducer.ts'
import { decodeEnvelope, type Envelope, createVerifier } from '../../src/events/index.ts'
import { createSseDecoder, type SseEvent } from '../../src/sse/index.ts'
import { createTranscript, finalText, type Transcript } from '../../src/client/transcript/index.ts'
import { createTestClient, type TestClient } from '../support/servers/test-client.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'

let server: TestServer
let client: TestClient

beforeAll(async () => {
  server = await openTestServer()
  client = createTestClient(server.url)
})

afterAll(async () => {
  await server.close()
  expect(server.violations).toEqual([])
  expect(server.errors).toEqual([])
})

async function readFrames(response: Response): Promise<SseEvent[]> {
  const frames: SseEvent[] = []
  createSseDecoder({ onEvent: (event) => frames.push(event) }).feed(await response.text())
  return frames
}

/** The frames of a run, of which the last ends the stream. */
async function ask(prompt: string, query: string) {
  const session = crypto.randomUUID()
  const body = { agent_uuid: session, user_prompt: prompt }
  const frames = await readFrames(await client.post(`/agent/run?${query}`, body))
  expect(frames.at(-1)?.data).toBe('[DONE]')
  return { session, frames: frames.slice(0, -1) }
}

const show = (envelopes: readonly Envelope[]): Transcript => {
  const reduce = createFrameReducer()
  return envelopes.reduce((seen, envelope) => reduce(seen, envelope), createTranscript())
}

async function expectedText(session: string): Promise<string> {
  const { frames } = await client.watch(session)
  return finalText(show(frames.map(({ data }) => decodeEnvelope(data))))
}

const demos = ['text', 'thinking', 'citations', 'tools', 'parallel-tools', 'web-search', 'images']

describe.each(demos)('a run of the demo %s', (demo) => {
  test('without extensions has the content that the seed defines', async () => {
    const { session, frames } = await ask(`/demo ${demo}`, 'extensions=none')
    const verifier = createVerifier({ needsEnd: false })
    expect(frames.flatMap(({ data }) => verifier.push(data))).toEqual([])
    expect(verifier.end(true)).toEqual([])
    const envelopes = frames.map(({ data }) => decodeEnvelope(data))
    expect(envelopes.some(({ type }) => type === 'meta_end' || type === 'meta_step')).toBe(false)
    expect(finalText(show(envelopes))).toBe(await expectedText(session))
  })

  test('as legacy XML has the same content', async () => {
    const { session, frames } = await ask(`/demo ${demo}`, 'format=xml')
    const decoder = createLegacyXmlDecoder({ agent: session })
    const envelopes = [...frames.flatMap(({ data }) => decoder.feed(data)), ...decoder.finish()]
    expect(finalText(show(envelopes))).toBe(await expectedText(session))
  })

  test('as segments has the same content', async () => {
    const { session, frames } = await ask(`/demo ${demo}`, 'format=segments&agents=all')
    const reader = segmentsReader({ agent: session })
    const envelopes = [...frames, { data: '[DONE]' }].flatMap((frame) =>
      reader.read({ data: frame.data }),
    )
    expect(finalText(show([...envelopes, ...reader.finish()]))).toBe(await expectedText(session))
  })
})

test.each(['extensions=none', 'format=xml', 'format=segments', 'format=raw'])(
  'with %s a reader can resume at any frame [DIA-2]',
  async (query) => {
    const { session } = await client.ask('/demo parallel-tools')
    const path = `/agent/${session}/stream?compact=0&${query}`
    const frames = await readFrames(await client.get(path))
    const ids = frames.flatMap(({ id }) => id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    for (let at = 0; at < ids.length; at += Math.ceil(ids.length / 10)) {
      const rest = await readFrames(await client.get(path, { 'last-event-id': ids[at] ?? '' }))
      expect([...frames.slice(0, at + 1), ...rest]).toEqual(frames)
    }
  },
)

test('an option that no dialect has is rejected', async () => {
  const answers = await Promise.all(
    ['extensions=some', 'format=morse', 'format=segments&agents=none'].map((query) =>
      client.post(`/agent/run?${query}`, { user_prompt: '/demo text' }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
})
