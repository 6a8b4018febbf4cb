import { Anthropic } from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from '../../src/client/index.ts'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import { stopRun } from '../../src/client/commands/control-run.ts'
import { toInputJson } from '../../src/protocols/raw/message-frames.ts'
import { createSseDecoder, encodeSse, type SseEvent } from '../../src/sse/index.ts'
import type { Block, Transcript } from '../../src/client/transcript/index.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'

let server: TestServer
const sessions: Session[] = []

beforeAll(async () => {
  server = await openTestServer()
})

afterAll(async () => {
  for (const session of sessions) session.close()
  await server.close()
  expect(server.violations).toEqual([])
  expect(server.errors).toEqual([])
})

const post = (path: string, body: object): Promise<Response> =>
  fetch(`${server.url}${path}?format=raw`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The official client, whose request is answered with the run. */
function openStream(answer: () => Promise<Response>) {
  const client = new Anthropic({ apiKey: 'none', fetch: answer, maxRetries: 0 })
  return client.beta.messages.stream({ model: 'm', max_tokens: 1, messages: [] })
}

/** A run that the official SDK reads while a Millrace client reads it too. */
function start(prompt: string) {
  const id = crypto.randomUUID()
  const watcher = createSession({ url: server.url, session: id, retryDelayMs: 5 })
  sessions.push(watcher)
  const answer = post('/agent/run', { agent_uuid: id, user_prompt: prompt })
  const watched = answer.then(() => watcher.watch())
  const stream = openStream(() => answer)
  return {
    id,
    stream,
    watcher,
    /** The content of the Millrace client at the end of the part. */
    seen: async (): Promise<Transcript> => {
      await watched
      await watcher.watch()
      return watcher.getSnapshot().transcript
    },
  }
}

interface Said {
  readonly text: string
  readonly thinking: string
  /** `name input` of each call by id. */
  readonly calls: Record<string, string>
  /** The text of each result by the id of its call. */
  readonly results: Record<string, string>
}

type Content = Anthropic.Beta.BetaMessage['content'][number]

/** The text of a message. */
function saidBy(content: readonly Content[]): Said {
  const said = { text: '', thinking: '', calls: {}, results: {} } as Said & Record<string, string>
  for (const block of content) {
    if (block.type === 'text') Object.assign(said, { text: said.text + block.text })
    if (block.type === 'thinking') Object.assign(said, { thinking: said.thinking + block.thinking })
    if (block.type.endsWith('tool_use') && 'input' in block)
      said.calls[block.id] = `${block.name} ${JSON.stringify(block.input)}`
    if (block.type === 'mcp_tool_result') said.results[block.tool_use_id] = textOf(block.content)
  }
  return said
}

function textOf(content: Anthropic.Beta.BetaMCPToolResultBlock['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => ('text' in part ? part.text : '')).join('')
}

/** The text of the root, in the Millrace client. */
function saidIn({ agents }: Transcript): Said {
  const said = { text: '', thinking: '', calls: {}, results: {} } as Said & Record<string, string>
  const isCall = (block: Block) => block.type === 'tool_call' || block.type === 'server_tool_call'
  for (const block of agents.at(0)?.blocks ?? []) {
    if (block.type === 'error') continue
    if (block.type === 'text') Object.assign(said, { text: said.text + block.text })
    if (block.type === 'thinking') Object.assign(said, { thinking: said.thinking + block.text })
    if (!isCall(block)) continue
    said.calls[block.id] = `${block.name} ${JSON.stringify(JSON.parse(toInputJson(block.text)))}`
    if (block.result?.type === 'tool_result') said.results[block.id] = block.result.text
    else if (block.result?.name === 'mcp_tool_result')
      said.results[block.id] = textOf(JSON.parse(block.result.text) as never)
  }
  return said
}

describe('the official SDK reads the content that a Millrace client reads of the same run', () => {
  test.each([
    'text',
    'thinking',
    'citations',
    'tools',
    'parallel-tools',
    'web-search',
    'code-execution',
    'mcp',
    'images',
    'files',
    'pause-turn',
    'write-file',
  ])('%s', async (demo) => {
    const run = start(`/demo ${demo}`)
    const message = await run.stream.finalMessage()
    const transcript = await run.seen()
    expect(message.stop_reason).toBe('end_turn')
    expect(saidBy(message.content)).toEqual(saidIn(transcript))
    expect(transcript.status).toBe('complete')
    expect(transcript.agents.at(0)?.summary).toMatchObject({
      usage: { output_tokens: message.usage.output_tokens },
    })
    expect(message.model).toBe('emulator')
  })

  test('citations, images and results of the provider are where the API has them', async () => {
    const cited = await start('/demo citations').stream.finalMessage()
    const citations = cited.content.flatMap((block) =>
      block.type === 'text' ? (block.citations ?? []) : [],
    )
    expect(citations.length).toBeGreaterThan(0)
    expect(citations.every(({ cited_text: text }) => text !== '')).toBe(true)
    const drawn = await start('/demo images').stream.finalMessage()
    expect(JSON.stringify(drawn.content)).toContain('"type":"image","source":')
    const found = await start('/demo web-search').stream.finalMessage()
    expect(found.content.map(({ type }) => type)).toContain('web_search_tool_result')
  })

  test('without its beta as well', async () => {
    const answer = post('/agent/run', { user_prompt: '/demo tools' })
    const client = new Anthropic({ apiKey: 'none', fetch: () => answer, maxRetries: 0 })
    const request = { model: 'm', max_tokens: 1, messages: [] }
    const { content } = await client.messages.stream(request).finalMessage()
    const called = content.filter(({ type }) => type.startsWith('mcp_tool_use'))
    expect(called.length).toBeGreaterThan(0)
    for (const block of called) expect(block).toMatchObject({ input: { city: expect.any(String) } })
  })

  test.each([
    ['max-tokens', 'max_tokens'],
    ['refusal', 'refusal'],
  ])('%s', async (demo, reason) => {
    const run = start(`/demo ${demo}`)
    const message = await run.stream.finalMessage()
    expect(message.stop_reason).toBe(reason)
    expect(saidBy(message.content).text).toBe(saidIn(await run.seen()).text)
  })
})

describe('a pending run', () => {
  test('for the browser: the call is a tool_use, and the answer begins another message', async () => {
    const run = start('/demo frontend')
    const first = await run.stream.finalMessage()
    expect(first.stop_reason).toBe('tool_use')
    const call = first.content.find((block) => block.type === 'tool_use')
    expect(call).toMatchObject({ name: 'user_confirm' })
    expect((await run.seen()).pending).toMatchObject([{ callId: call?.id, input: call?.input }])
    const results = [{ tool_use_id: call?.id, content: 'yes' }]
    const answer = () => post('/agent/tool_results', { agent_uuid: run.id, tool_results: results })
    const second = await openStream(answer).finalMessage()
    const both = saidBy([...first.content, ...second.content])
    expect(both).toEqual(saidIn(await run.seen()))
    expect(second).toMatchObject({ stop_reason: 'end_turn', model: 'emulator' })
    expect(second.id).not.toBe(first.id)
  })

  test('for a decision: the call is a tool_use, and its result is in the next message', async () => {
    const run = start('/demo approval')
    const first = await run.stream.finalMessage()
    const call = first.content.at(-1)
    expect(call).toMatchObject({ type: 'tool_use', name: 'write_file' })
    const decision = { tool_use_id: (call as { id: string }).id, decision: 'approve' }
    const answer = () =>
      post('/agent/tool_approvals', { agent_uuid: run.id, approvals: [decision] })
    const second = await openStream(answer).finalMessage()
    expect(second.content[0]).toMatchObject({ type: 'mcp_tool_result', is_error: false })
    expect(saidBy([...first.content, ...second.content])).toEqual(saidIn(await run.seen()))
  })

  test('for a sub-agent: its call is in the message of the root', async () => {
    const run = start('/demo subagents')
    const first = await run.stream.finalMessage()
    expect(first.stop_reason).toBe('tool_use')
    const { pending, agents } = await run.seen()
    expect(agents.length).toBeGreaterThan(2)
    const waiting = first.content.filter((block) => block.type === 'tool_use')
    expect(waiting.map(({ id, name }) => ({ id, name }))).toEqual(
      pending.map(({ callId: id, name }) => ({ id, name })),
    )
    const results = waiting.map(({ id }) => ({ tool_use_id: id, content: 'yes' }))
    const answer = () => post('/agent/tool_results', { agent_uuid: run.id, tool_results: results })
    const second = await openStream(answer).finalMessage()
    expect(second.stop_reason).toBe('end_turn')
    const seen = saidIn(await run.seen())
    expect(saidBy(second.content).text).toContain(seen.text.slice(-40))
    expect(saidBy([...first.content, ...second.content]).results).toEqual(seen.results)
  })
})

test('a run with an interrupted model repeats void content; read again it is sent once', async () => {
  const { id, seen, stream } = start('/demo cut')
  const live = saidBy((await stream.finalMessage()).content)
  const said = saidIn(await seen())
  expect(live.text).not.toBe(said.text)
  expect(live.text.endsWith(said.text)).toBe(true)
  expect(live.results).toEqual(said.results)
  const frames = await readFrames(`/agent/${id}/stream?format=raw&cursor=0`)
  const again = await openStream(async () => toResponse(frames)).finalMessage()
  expect(saidBy(again.content)).toEqual(said)
})

describe('an incomplete run', () => {
  test('because the model fails is an error of the SDK', async () => {
    const run = start('/demo error')
    await expect(run.stream.finalMessage()).rejects.toMatchObject({ type: 'api_error' })
    expect((await run.seen()).status).toBe('error')
  })

  test('because it is stopped ends its message with the emitted text', async () => {
    const run = start('/demo long 100000')
    await run.stream.emitted('text')
    await stopRun(run.watcher)
    const message = await run.stream.finalMessage()
    expect(message.stop_reason).toBe('aborted')
    const transcript = await run.seen()
    expect(transcript.status).toBe('aborted')
    expect(saidBy(message.content).text).toBe(saidIn(transcript).text)
  })
})

describe('a run that is read in two halves', () => {
  test.each(['parallel-tools', 'citations', 'subagents'])(
    'resumes at any frame as without an interruption: %s',
    async (demo) => {
      const { id, stream } = start(`/demo ${demo}`)
      const message = await stream.finalMessage()
      const path = `/agent/${id}/stream?format=raw&compact=0`
      const frames = await readFrames(path)
      const step = Math.max(1, Math.floor(frames.length / 12))
      for (let cut = 1; cut < frames.length; cut += step) {
        const head = frames.slice(0, cut)
        const tail = await readFrames(path, head.at(-1)?.id)
        expect([...head, ...tail]).toEqual(frames)
      }
      const joined = await openStream(async () => toResponse(frames)).finalMessage()
      expect(joined.content).toEqual(message.content)
    },
  )
})

async function readFrames(path: string, lastId?: string): Promise<SseEvent[]> {
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId }
  const response = await fetch(`${server.url}${path}`, { headers })
  const frames: SseEvent[] = []
  createSseDecoder({ onEvent: (event) => frames.push(event) }).feed(await response.text())
  return frames
}

function toResponse(frames: readonly SseEvent[]): Response {
  const body = frames.map(({ data, event }) => encodeSse({ data, ...(event && { event }) }))
  return new Response(body.join(''), { headers: { 'content-type': 'text/event-stream' } })
}
