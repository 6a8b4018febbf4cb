import { expect } from 'vitest'
import type { Envelope } from '../../../src/events/index.ts'
import { ofType, typesInOrder } from '../support/messages.ts'
import { createSection } from '../support/seed-case.ts'
import { utf8 } from '../support/utf8.ts'
import { ask, askOnce, type SeedStream, withHistory } from '../support/seed-server.ts'

const seedOnly = { ...withHistory, query: '?extensions=none' }

/** Runs that together contain every type of the document. */
export async function allRuns(): Promise<readonly SeedStream[]> {
  const prompts = ['hello', 'everything', 'large', 'confirm', 'fail', 'files', 'delegate']
  return Promise.all(prompts.map((prompt) => askOnce(prompt, seedOnly)))
}

/** The envelopes of all of them. */
export async function allMessages(): Promise<Envelope[]> {
  return (await allRuns()).flatMap((stream) => stream.messages())
}

/** The thirteen types, as the document lists them by category. */
const categories = {
  Metadata: ['meta_init', 'meta_final'],
  'Streamed content': ['thinking', 'text', 'citation'],
  'Tool calls': ['tool_call', 'server_tool_call'],
  'Tool results': ['tool_result', 'tool_result_image', 'server_tool_result'],
  'Control flow': ['awaiting_frontend_tools', 'meta_files', 'error'],
} as const

const motivation = createSection('001', 'Motivation')

motivation.works('A large payload does not become one oversized message.', async () => {
  const { data } = await askOnce('large', seedOnly)
  expect(Math.max(...data.map((line) => utf8(line)))).toBeLessThanOrEqual(2048)
})
motivation.works(
  'Each message names its agent, so that sub-agents can be shown separately.',
  async () => {
    const messages = (await askOnce('delegate', seedOnly)).messages()
    expect(new Set(messages.map(({ agent }) => agent)).size).toBe(3)
  },
)

const principles = createSection('001', 'Design Principles')

principles.works('Every `data:` line is one complete JSON object.', async () => {
  for (const { body } of await allRuns()) {
    const lines = body.split('\n').filter((line) => line.startsWith('data: '))
    for (const line of lines.slice(0, -1))
      expect(JSON.parse(line.slice(6))).toMatchObject({ agent: expect.any(String) })
  }
})
principles.works('No event has more than one `data:` line.', async () => {
  for (const { body } of await allRuns())
    for (const event of body.split('\n\n'))
      expect(event.match(/^data:/gm) ?? []).toHaveLength(event.includes('data:') ? 1 : 0)
})
principles.works('There is nothing to decode but JSON: no tags and no entities.', async () => {
  const messages = await allMessages()
  const text = messages.map(({ delta }) => delta).join('')
  expect(text.includes('ä€𝄞')).toBe(true)
  expect(/<content-block|&quot;/.test(text)).toBe(false)
})
principles.works('The server cuts large payloads into several messages.', async () => {
  const messages = (await askOnce('large', seedOnly)).messages()
  expect(ofType(messages, 'tool_call').length).toBeGreaterThan(1)
  expect(ofType(messages, 'tool_result').length).toBeGreaterThan(1)
})
principles.works('Deltas appended in order of arrival give the content back.', async () => {
  const messages = (await askOnce('hello', seedOnly)).messages()
  const text = ofType(messages, 'text').map(({ delta }) => delta)
  expect(text.length).toBeGreaterThan(2)
  expect(text.join('')).toBe('Hello world')
})

const base = createSection('001', 'Base Fields')

for (const [field, kind] of Object.entries({
  type: 'string',
  agent: 'string',
  final: 'boolean',
  delta: 'string',
})) {
  base.works(`\`${field}\` is on every message and is a ${kind}.`, async () => {
    for (const message of await allMessages())
      expect(typeof (message as unknown as Record<string, unknown>)[field]).toBe(kind)
  })
}
base.works('`agent` of the root is the session’s UUID.', async () => {
  const { session, ...stream } = await askOnce('delegate', seedOnly)
  expect(stream.messages()[0]?.agent).toBe(session)
  expect(session).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
})
base.works('`final` is true exactly on the last message of a block.', async () => {
  const messages = (await askOnce('large', seedOnly)).messages()
  const results = ofType(messages, 'tool_result').map(({ final }) => final)
  expect(results).toEqual([...results.slice(0, -1).map(() => false), true])
})
base.works('`delta` may be empty on a final marker.', async () => {
  const messages = ofType((await askOnce('hello', seedOnly)).messages(), 'text')
  expect(messages.at(-1)).toMatchObject({ final: true, delta: '' })
})

const types = createSection('001', 'Message Types')

types.works('There are thirteen message types, and no others with `extensions=none`.', async () => {
  const seen = new Set((await allMessages()).map(({ type }) => type))
  expect([...seen].sort()).toEqual(Object.values(categories).flat().sort())
})
types.differs(
  'A stream has no other types than these.',
  'By default there are further types (`meta_step`, `meta_end`, `tool_status`, `rollback` …), which clients ignore; `extensions=none` leaves them out.',
  async () => {
    const order = typesInOrder((await ask('everything')).messages())
    expect(order).toContain('meta_step')
    expect(order.at(-1)).toBe('meta_end')
  },
)
for (const [category, names] of Object.entries(categories)) {
  const list = names.map((name) => `\`${name}\``).join(', ')
  types.works(`${category}: the server sends ${list}.`, async () => {
    const messages = await allMessages()
    for (const name of names) expect(ofType(messages, name).length).toBeGreaterThan(0)
  })
}
types.works('Metadata, calls, results and control messages carry content when final.', async () => {
  const messages = (await askOnce('everything', seedOnly)).messages()
  const closing = messages.filter(({ final }) => final)
  const empty = new Set(closing.filter(({ delta }) => delta === '').map(({ type }) => type))
  // The result with images is closed by an empty marker, as in the document.
  expect([...empty].sort()).toEqual(['text', 'thinking', 'tool_result'])
})

export const designStatements = [motivation, principles, base, types].flatMap(
  ({ statements }) => statements,
)
