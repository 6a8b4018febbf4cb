import { afterEach, describe, expect, test } from 'vitest'
import { call, text, tool } from '../../../test/support/agents/agent-harness.ts'
import {
  byAnswers,
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import type { ContentBlock } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler, type Handler } from '../handler.ts'
import { encodeBase64 } from './stored-blocks.ts'

const session = '00000000-0000-4000-8000-000000000000'
const png = new Uint8Array(100_000)
png.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
const words = 'Grüße aus der Mühle. '.repeat(5_000)

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

function open(store: Store, replies: readonly ScriptedReply[] = []) {
  const model = createScriptedModel(replies, byAnswers)
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model, tools: [tool('grind')] }) },
    defaultAgent: 'miller',
    store,
  })
  handlers.push(handler)
  const send = (path: string, init: RequestInit): Promise<Response> =>
    handler.fetch(new Request(`http://localhost/agent/${path}`, { method: 'POST', ...init }))
  const ask = (user_prompt: unknown): Promise<Response> =>
    send('run', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_uuid: session, user_prompt }),
    })
  const askAbout = (...files: readonly File[]): Promise<Response> => {
    const body = new FormData()
    body.append('agent_uuid', session)
    body.append('user_prompt', 'What is this?')
    for (const file of files) body.append('files', file)
    return send('run/multipart', { body })
  }
  const asked = (): readonly ContentBlock[] => model.requests.at(-1)?.messages[0]?.content ?? []
  return { handler, send, ask, askAbout, asked }
}

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } }
const withData = (bytes: Uint8Array) => ({
  ...image,
  source: { ...image.source, data: encodeBase64(bytes) },
})

const blocks = [
  withData(png),
  {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: words },
    title: 'a.txt',
  },
  text('What is this?'),
]

const recordOf = async (store: Store): Promise<string> => {
  const collections = ['own:record', 'own:cells', 'lane:0', 'runs']
  const range = { after: -1, limit: 1_000 }
  const parts = await Promise.all(collections.map((one) => store.parts(session, one, range)))
  return parts.flatMap((all) => all.map(({ body }) => body)).join('\n')
}

describe('files of a prompt', () => {
  test('are not in the state of the session', async () => {
    const memory = createMemoryStore()
    const sizes: number[] = []
    const store: Store = {
      ...memory,
      append: (append) => {
        if (append.parts !== undefined) sizes.push(JSON.stringify(append.parts).length)
        return memory.append(append)
      },
    }
    const grinding = [1, 2, 3].map((step) => ({ content: [call(`t${step}`, 'grind')] }))
    const { askAbout, asked } = open(store, grinding)
    const response = await askAbout(new File([png], 'a.png'), new File([words], 'a.txt'))
    expect(await response.text()).toContain('"type":"meta_end"')
    expect(asked()).toEqual(blocks)
    expect(sizes.length).toBeGreaterThan(4)
    expect(Math.max(...sizes)).toBeLessThan(10_000)
    expect(await store.fileIds(session)).toHaveLength(2)
  })

  test('reach the model byte for byte when another server resumes', async () => {
    const store = createMemoryStore()
    await (await open(store).askAbout(new File([png], 'a.png'), new File([words], 'a.txt'))).text()
    const { ask, asked } = open(store)
    await (await ask('And now?')).text()
    expect(JSON.stringify(asked())).toBe(JSON.stringify(blocks))
    expect(await recordOf(store)).not.toContain('iVBORw0KGgo')
    await (await open(store).ask('And then?')).text()
    expect(await store.fileIds(session)).toHaveLength(2)
  })

  test('are restored if the run died before its first step', async () => {
    const store: Store = { ...createMemoryStore(), isDurable: true }
    const dying = open(store, [{ content: [text('flour')], hangs: 'until_aborted' }])
    await (await dying.askAbout(new File([png], 'a.png'))).body?.cancel()
    await dying.handler.close()
    const { handler, asked } = open(store)
    expect(await handler.recover()).toEqual([session])
    await expect.poll(asked).toEqual([withData(png), text('What is this?')])
  })

  test('that were uploaded are stored once', async () => {
    const store = createMemoryStore()
    const { send, ask, asked } = open(store)
    const body = new FormData()
    body.append('agent_uuid', session)
    body.append('files', new File([png], 'a.png'))
    const { files } = (await (await send('upload', { body })).json()) as { files: { id: string }[] }
    const named = { type: 'image', source: { type: 'file', file_id: files[0]?.id } }
    await (await ask([named, text('?')])).text()
    expect(asked()).toEqual([withData(png), text('?')])
    expect(await store.fileIds(session)).toEqual([files[0]?.id])
    expect(await recordOf(store)).toContain(JSON.stringify(named))
  })

  test.each<[string, ContentBlock]>([
    [
      'short text',
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'rye' } },
    ],
    [
      'a wrong media type',
      { ...image, source: { ...withData(png).source, media_type: 'image/jpeg' } },
    ],
    ['a document with an image', { type: 'document', source: withData(png).source }],
    ['another source', { ...image, source: { type: 'url', url: 'https://a.example/a.png' } }],
  ])('stay in the state if they could not be restored: %s', async (_, block) => {
    const store = createMemoryStore()
    await (await open(store).ask([block])).text()
    expect(await store.fileIds(session)).toEqual([])
    const { ask, asked } = open(store)
    await (await ask('And now?')).text()
    expect(asked()).toEqual([block])
  })
})
