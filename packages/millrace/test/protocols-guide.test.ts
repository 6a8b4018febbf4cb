import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import { defineTool } from '../src/tools/define-tool.ts'
import type { Protocol } from '../src/protocols/port/protocol.ts'
import { createHandler, type Handler } from '../src/server/handler.ts'
import { createMemoryStore } from '../src/stores/memory/memory-store.ts'
import type { HandlerOptions } from '../src/server/handler-options.ts'
import { defaultProtocols } from '../src/protocols/registry/index.ts'
import { anything, call, text } from './support/agents/agent-harness.ts'
import { createScriptedModel } from './support/agents/scripted-model.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
// Inside the package, so that the example resolves its dependencies.
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))
const guide = readFileSync(join(root, 'docs/protocols.md'), 'utf8')
const [, code = ''] = /^```ts run\n(.*?)^```$/ms.exec(guide) ?? []
writeFileSync(join(folder, 'plain.ts'), code)
const { plain } = (await import(join(folder, 'plain.ts'))) as { plain(): Protocol }

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

function open(options: Partial<HandlerOptions> = {}) {
  let shipped = 0
  const ship = defineTool({
    name: 'ship',
    description: '',
    input: anything,
    needsApproval: true,
    run: () => `shipped ${++shipped}`,
  })
  const model = createScriptedModel([
    { content: [text('Shall I?'), call('c1', 'ship', {})] },
    { content: [text('It is on its way.')] },
  ])
  const handler = createHandler({
    agents: { root: createAgent({ name: 'root', model, tools: [ship] }) },
    defaultAgent: 'root',
    store: createMemoryStore(),
    protocols: [plain()],
    ...options,
  })
  handlers.push(handler)
  const send = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const post = body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    }
    const request = new Request(`http://localhost${path}`, post ?? { headers })
    const response = await handler.fetch(request)
    const content = await response.text()
    return { status: response.status, content, frames: framesIn(content) }
  }
  return { send, shipped: () => shipped }
}

/** The frames of a stream, as `event data`, joined where they are text. */
function framesIn(content: string): string[] {
  const frames = content.split('\n\n').flatMap((frame) => {
    const [, data] = /^data: (.*)$/m.exec(frame) ?? []
    const [, event] = /^event: (.*)$/m.exec(frame) ?? []
    return data === undefined ? [] : [event === undefined ? data : `${event}: ${data}`]
  })
  return frames.reduce<string[]>((all, frame) => {
    const last = all.at(-1)
    const isText = !frame.includes(': ') && last !== undefined && !last.includes(': ')
    return isText ? [...all.slice(0, -1), last + frame] : [...all, frame]
  }, [])
}

const asked = { text: 'Send it.', id: 'm1' }
const approved = { call: 'c1', approve: true }

describe('the protocol of the guide', () => {
  test('sends prompts, approves and reads a run', async () => {
    const { send, shipped } = open()
    expect((await send('/plain/kitchen')).status).toBe(204)
    const first = await send('/plain/kitchen', asked)
    expect(first.frames).toEqual(['Shall I?', 'call: ship c1', 'end: end'])
    const second = await send('/plain/kitchen', approved)
    expect(second.frames).toEqual(['It is on its way.', 'end: end'])
    expect(shipped()).toBe(1)
    const whole = await send('/plain/kitchen?calls=hide')
    expect(whole.frames).toEqual(['Shall I?', 'end: end', 'It is on its way.', 'end: end'])
    expect((await send('/plain/pantry')).status).toBe(204)
  })

  test('recognizes repeated requests, and rejects contradictions', async () => {
    const { send, shipped } = open()
    const first = await send('/plain/kitchen', asked)
    expect((await send('/plain/kitchen', asked)).frames).toEqual(first.frames)
    const other = await send('/plain/kitchen', { ...asked, text: 'Keep it.' })
    expect(other).toMatchObject({ status: 409, content: expect.stringContaining('key_reused') })
    expect(other.content).toContain('The key \\"m1\\" was sent before')
    const second = await send('/plain/kitchen', approved)
    expect((await send('/plain/kitchen', approved)).frames).toEqual(second.frames)
    expect((await send('/plain/kitchen', { ...approved, approve: false })).status).toBe(409)
    expect(shipped()).toBe(1)
    expect((await send('/plain/kitchen', { ...asked, text: 'Keep it.' })).status).toBe(409)
    expect((await send('/plain/kitchen', { ...asked, id: 'm2' })).frames).not.toEqual(first.frames)
  })

  test('resumes after any frame, on the routes of the server too', async () => {
    const { send } = open()
    await send('/plain/0b54f1c2-8f8e-4d5b-9b0e-3d5c2b1a0f01', asked)
    const path = '/agent/0b54f1c2-8f8e-4d5b-9b0e-3d5c2b1a0f01/stream?format=plain&compact=0'
    const { content } = await send(path)
    const ids = [...content.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '')
    expect(ids.length).toBeGreaterThan(2)
    for (const id of ids) {
      const rest = await send(path, undefined, { 'last-event-id': id })
      expect(rest.content.split(`\n\n`).slice(1)).toEqual(
        content
          .slice(content.indexOf(`id: ${id}\n`))
          .split('\n\n')
          .slice(1),
      )
    }
  })

  test('can neither show nor change a session of another owner', async () => {
    const session = '0b54f1c2-8f8e-4d5b-9b0e-3d5c2b1a0f02'
    const { send, shipped } = open({
      context: (request) => request.headers.get('x-user'),
      owner: String,
    })
    const [ada, bob] = [{ 'x-user': 'ada' }, { 'x-user': 'bob' }]
    expect((await send(`/plain/${session}`, asked, ada)).status).toBe(200)
    for (const body of [undefined, approved, { text: 'Mine?' }])
      expect((await send(`/plain/${session}`, body, bob)).status).toBe(404)
    expect(shipped()).toBe(0)
    // A name that is not a UUID is a separate session for each of them.
    await send('/plain/kitchen', asked, ada)
    expect((await send('/plain/kitchen', undefined, bob)).status).toBe(204)
  })

  test('rejects a malformed request', async () => {
    const { send } = open()
    expect((await send('/plain/kitchen', { text: '' })).status).toBe(400)
    expect((await send('/plain/kitchen?calls=some', asked)).status).toBe(400)
    expect((await send(`/plain/${'x'.repeat(65)}`, asked)).status).toBe(400)
  })

  test('is in the description of its server, next to others', async () => {
    const { send } = open({ protocols: [...defaultProtocols(), plain()] })
    const { paths } = JSON.parse((await send('/openapi.json')).content) as { paths: object }
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/plain/{chat}', '/ag-ui']))
  })
})
