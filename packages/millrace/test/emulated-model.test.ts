import { expect, test } from 'vitest'
import { anthropic } from '../src/models/anthropic/anthropic.ts'
import { anthropicFiles } from '../src/models/anthropic/anthropic-files.ts'
import {
  createEmulator,
  demoPrompts,
  type EmulatorOptions,
  type Fault,
  type Scenario,
} from 'millrace-tools/emulator'
import type { ContentBlock, Message, ModelEvent, ToolSchema } from '../src/events/index.ts'
import { endOf } from './support/models/anthropic-events.ts'
import { checkModelEvents } from './support/models/check-model-events.ts'

const names = [
  'get_weather',
  'get_time',
  'draw_chart',
  'write_file',
  'read_file',
  'patch_file',
  'spawn_subagent',
  'user_confirm',
]

const tools: ToolSchema[] = names.map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
}))

function connect(options: EmulatorOptions = {}) {
  const { fetch } = createEmulator({ pace: 'instant', ...options })
  return anthropic('emulated', { apiKey: 'any', maxRetries: 0, fetch })
}

function say(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}

async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const out: ModelEvent[] = []
  for await (const event of events) out.push(event)
  checkModelEvents(out)
  return out
}

function ask(messages: readonly Message[], options: EmulatorOptions = {}) {
  return collect(connect(options).stream({ messages, tools, maxTokens: 4096 }))
}

function answerAll(content: readonly ContentBlock[], text: string): Message {
  const calls = content.filter(({ type }) => type === 'tool_use')
  const results = calls.map(({ id }) => ({
    type: 'tool_result',
    tool_use_id: id ?? '',
    content: text,
  }))
  return { role: 'user', content: results }
}

test('thinking is returned unchanged, and accepted', async () => {
  const prompt = say('/demo thinking')
  const { outcome, content } = endOf(await ask([prompt]))
  expect(outcome).toBe('finished')
  expect(content.map(({ type }) => type)).toEqual(['thinking', 'text'])
  const next = endOf(await ask([prompt, { role: 'assistant', content }, say('Hi')]))
  expect(next.outcome).toBe('finished')
  const altered = content.map((block) => ({ ...block, thinking: 'otherwise' }))
  const refused = endOf(await ask([prompt, { role: 'assistant', content: altered }, say('Hi')]))
  expect(refused.failure).toMatchObject({ type: 'invalid_request_error', status: 400 })
})

test.each([
  ['/demo tools', 'clear sky', ['get_weather', 'get_time']],
  ['/demo frontend', 'yes', ['user_confirm']],
  [
    '/demo parallel-tools',
    '{}',
    Array.from({ length: 4 }, () => ['get_weather', 'get_time']).flat(),
  ],
  ['/demo images', 'a picture', ['draw_chart']],
  ['/demo write-file', 'written', ['write_file']],
  ['/demo files', '1\tday,centimetres', ['read_file']],
  ['/demo subagents', 'found', ['spawn_subagent', 'spawn_subagent']],
])('%s calls its tools and continues with their results', async (prompt, result, names) => {
  const first = endOf(await ask([say(prompt)]))
  expect(first.stopReason).toBe('tool_use')
  const calls = first.content.filter(({ type }) => type === 'tool_use')
  expect(calls.map(({ name }) => name)).toEqual(names)
  const turn: Message = { role: 'assistant', content: first.content }
  const last = endOf(await ask([say(prompt), turn, answerAll(first.content, result)]))
  expect(last).toMatchObject({ outcome: 'finished', stopReason: 'end_turn' })
})

test('/demo approval reads the written file back, from the path that a user chose', async () => {
  const prompt = say('/demo approval')
  const first = endOf(await ask([prompt]))
  expect(first.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'write_file' })
  const chain = [prompt, { role: 'assistant' as const, content: first.content }]
  const written = answerAll(first.content, 'Created other/place.md: 3 lines, 40 bytes.')
  const second = endOf(await ask([...chain, written]))
  expect(second.content.at(-1)).toMatchObject({ input: { path: 'other/place.md' } })
  chain.push(written, { role: 'assistant', content: second.content })
  const last = endOf(await ask([...chain, answerAll(second.content, 'read')]))
  expect(last).toMatchObject({ outcome: 'finished', stopReason: 'end_turn' })
})

test('/demo files names a file that the Files API has, and no other exists', async () => {
  const { fetch } = createEmulator({ pace: 'instant' })
  const files = anthropicFiles({ apiKey: 'any', fetch })
  const said = endOf(await ask([say('/demo files')])).content
  const upload = said.find(({ type }) => type === 'container_upload')
  const { filename, mediaType, bytes } = await files.read(String(upload?.['file_id']))
  expect({ filename, mediaType }).toEqual({ filename: 'levels.csv', mediaType: 'text/csv' })
  expect(new TextDecoder().decode(bytes)).toMatch(/^day,centimetres\n1,84\n/)
  await expect(files.read('file_of_nobody')).rejects.toMatchObject({ status: 404 })
})

test('/demo error shows some text and fails with a transient reason', async () => {
  const events = await ask([say('/demo error')])
  expect(events.some(({ type }) => type === 'block_delta')).toBe(true)
  expect(endOf(events)).toMatchObject({
    outcome: 'failed',
    content: [{ type: 'text', text: expect.stringMatching(/\S/) }],
    failure: { type: 'api_error', retriable: true },
  })
})

test.each([
  ['/demo refusal', { outcome: 'refused', stopReason: 'refusal', details: { stop_details: {} } }],
  ['/demo max-tokens', { outcome: 'truncated', stopReason: 'max_tokens' }],
  ['/demo pause-turn', { outcome: 'paused', stopReason: 'pause_turn' }],
  ['/demo overloaded', { outcome: 'failed', failure: { type: 'overloaded_error' } }],
  ['/demo cut', { outcome: 'interrupted', failure: { type: 'connection_lost' } }],
  ['/demo citations', { outcome: 'finished' }],
  ['/demo web-search', { outcome: 'finished' }],
  ['/demo code-execution', { outcome: 'finished' }],
  ['/demo mcp', { outcome: 'finished' }],
])('%s ends as expected', async (prompt, end) => {
  expect(endOf(await ask([say(prompt)]))).toMatchObject(end)
})

test('the messages of any demo are accepted unchanged with the next prompt', async () => {
  for (const prompt of demoPrompts.map((demo) => demo.prompt.replace(/\d+$/, '50'))) {
    const { content, stopReason } = endOf(await ask([say(prompt)]))
    const said = content.filter(({ type, text }) => type !== 'text' || /\S/.test(String(text)))
    const calls = said.some(({ type }) => type === 'tool_use')
    if (stopReason === null || stopReason === 'pause_turn' || said.length === 0) continue
    const turn: Message = { role: 'assistant', content: said }
    const answer = calls ? answerAll(said, 'x').content : []
    const next: Message = { role: 'user', content: [...answer, ...say('Hi').content] }
    expect(endOf(await ask([say(prompt), turn, next])), prompt).toMatchObject({
      outcome: 'finished',
    })
  }
})

test('a pause continues with the missing result', async () => {
  const prompt = say('/demo pause-turn')
  const first = endOf(await ask([prompt]))
  const next = endOf(await ask([prompt, { role: 'assistant', content: first.content }]))
  expect(next.content[0]).toMatchObject({
    type: 'web_search_tool_result',
    tool_use_id: first.content.at(-1)?.['id'],
  })
  expect(next.outcome).toBe('finished')
})

test('/demo overloaded and /demo cut succeed on the second attempt, and fail again after that', async () => {
  const model = connect()
  const request = { tools, maxTokens: 4096 }
  for (const prompt of ['/demo overloaded', '/demo cut']) {
    const outcomes: string[] = []
    for (let attempt = 0; attempt < 4; attempt++) {
      const events = await collect(model.stream({ ...request, messages: [say(prompt)] }))
      outcomes.push(endOf(events).outcome)
    }
    const failure = prompt === '/demo cut' ? 'interrupted' : 'failed'
    expect(outcomes).toEqual([failure, 'finished', failure, 'finished'])
  }
})

test.each<[Fault, object]>([
  [
    { kind: 'cut', at: { byte: 700 } },
    { outcome: 'interrupted', failure: { type: 'connection_lost' } },
  ],
  [{ kind: 'end', at: { type: 'message_stop' } }, { outcome: 'interrupted' }],
  [{ kind: 'error', at: { event: 9 } }, { outcome: 'failed' }],
  [
    { kind: 'stall', at: { event: 9 } },
    { outcome: 'interrupted', failure: { type: 'idle_timeout' } },
  ],
  [{ kind: 'bad_json', at: { event: 9 } }, { outcome: 'failed' }],
  [{ kind: 'spliced_start', at: { event: 9 } }, { outcome: 'failed' }],
  [
    { kind: 'status', status: 529 },
    { outcome: 'failed', failure: { status: 529, retriable: true } },
  ],
  [{ kind: 'status', status: 429, retryAfterS: 2 }, { failure: { retryAfterMs: 2000 } }],
  [{ kind: 'duplicate_start', at: { event: 9 } }, { outcome: 'finished' }],
  [{ kind: 'wrong_index' }, { outcome: 'finished' }],
  [{ kind: 'pings', count: 3 }, { outcome: 'finished' }],
  [{ kind: 'insert', event: { type: 'news' } }, { outcome: 'finished' }],
  [{ kind: 'crlf' }, { outcome: 'finished' }],
  [{ kind: 'bom' }, { outcome: 'finished' }],
  [{ kind: 'comments' }, { outcome: 'finished' }],
  [{ kind: 'chunks', bytes: 1 }, { outcome: 'finished' }],
])('our own reader with %j', async (fault, end) => {
  const { fetch } = createEmulator({ pace: 'instant', seed: 'f', faults: [fault] })
  const model = anthropic('emulated', { apiKey: 'any', maxRetries: 0, fetch, idleTimeoutMs: 50 })
  const events = await collect(model.stream({ messages: [say('/demo text')], maxTokens: 4096 }))
  expect(endOf(events)).toMatchObject(end)
})

test('/demo long gives exactly the requested number of deltas', async () => {
  const events = await ask([say('/demo long 3000')])
  expect(events.filter(({ type }) => type === 'block_delta')).toHaveLength(3000)
})

test('an abort ends the message while the emulator still waits', async () => {
  const abort = new AbortController()
  const pace = { tokensPerSecond: 1, firstTokenMs: 3_600_000, jitter: 0 }
  const request = { messages: [say('/demo text')], maxTokens: 9 }
  const events: ModelEvent[] = []
  for await (const event of connect({ pace }).stream(request, { signal: abort.signal })) {
    events.push(event)
    if (event.type === 'block_start') setTimeout(() => abort.abort(), 0)
  }
  expect(endOf(events).outcome).toBe('aborted')
})

test('a custom script answers, call by call', async () => {
  const echo: Scenario = {
    name: 'echo',
    summary: 'Says what the tool said',
    matches: (prompt) => prompt.startsWith('echo'),
    reply: ({ step, results }) => ({
      blocks:
        step === 0
          ? [{ type: 'tool_use', name: 'get_time', input: { n: 1 } }]
          : [{ type: 'text', text: results[0]?.text ?? '' }],
    }),
  }
  const options = { scenarios: [echo] }
  const first = endOf(await ask([say('echo')], options))
  const turn: Message = { role: 'assistant', content: first.content }
  const messages = [say('echo'), turn, answerAll(first.content, 'noon')]
  expect(endOf(await ask(messages, options)).content).toEqual([{ type: 'text', text: 'noon' }])
  const other = endOf(await ask([say('other')], options))
  expect(other.content[0]?.['text']).toContain('echo')
})

test('a new prompt next to old results begins a new turn', async () => {
  const prompt = say('/demo tools')
  const first = endOf(await ask([prompt]))
  const results = answerAll(first.content, 'x')
  const both: Message = {
    role: 'user',
    content: [...results.content, ...say('/demo long 3').content],
  }
  const turn: Message = { role: 'assistant', content: first.content }
  expect(endOf(await ask([prompt, turn, both])).content).toEqual([{ type: 'text', text: '1 2 3' }])
})
