import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { defaultLimits } from '../handler-options.ts'
import { aiSdk } from '../../protocols/registry/protocols.ts'
import { deriveSession } from '../requests/message-key.ts'
import { toMessagePrompt } from './message-prompt.ts'

const session = '00000000-0000-4000-8000-000000000001'

async function promptOf(...parts: object[]) {
  const store = createMemoryStore()
  await store.open(session)
  const id = `upload_${'0'.repeat(32)}`
  const bytes = new TextEncoder().encode('rye')
  await store.putFile(session, { id, mediaType: 'text/plain', filename: 'rye.txt', bytes })
  const body = { id: 'c', messages: [{ role: 'user', parts }], trigger: 'submit-message' }
  const { plans } = await aiSdk().load()
  const request = { body, query: {}, search: new URLSearchParams(), parameters: {} }
  const plan = await plans?.['chat']?.plan({ ...request, headers: new Headers() })
  return toMessagePrompt(plan?.message?.parts ?? [], { store, limits: defaultLimits }, session)
}

const file = (url: string, mediaType = 'text/plain') => ({ type: 'file', url, mediaType })

describe('the prompt of a message', () => {
  test('is its text; parts that a page adds for itself are ignored', async () => {
    const data = { type: 'data-cursor', data: { x: 1 } }
    expect(await promptOf({ type: 'text', text: 'hello' }, data)).toBe('hello')
  })

  test('has files before the text, for any form of their data URL', async () => {
    const document = (text: string, title = 'file') => ({
      type: 'document',
      title,
      source: { type: 'text', media_type: 'text/plain', data: text },
    })
    const prompt = await promptOf(
      { type: 'text', text: 'compare' },
      file(`data:text/plain;base64,${btoa('wheat')}`),
      file('data:text/plain,oats%20and%20more'),
      file(`/agent/${session}/files/upload_${'0'.repeat(32)}`),
    )
    expect(prompt).toEqual([
      document('wheat'),
      document('oats and more'),
      { type: 'text', text: 'compare' },
      document('rye', 'rye.txt'),
    ])
  })

  test.each([
    ['nothing', []],
    ['only blanks', [{ type: 'text', text: '  ' }]],
    ['a file elsewhere', [file('https://example.com/a.txt')]],
    ['a file of the machine', [file('file:///etc/passwd')]],
    ['broken base64', [file('data:text/plain;base64,@@@')]],
    ['a broken escape', [file('data:text/plain,%zz')]],
    [
      'a kind that no model takes',
      [file(`data:image/png;base64,${btoa('no image')}`, 'image/png')],
    ],
    ['an upload that is not there', [file(`upload_${'1'.repeat(32)}`)]],
  ])('%s is rejected', async (_, parts) => {
    await expect(promptOf(...parts)).rejects.toMatchObject({
      code: expect.stringMatching(/^(bad_request|not_found)$/),
    })
  })
})

describe('the session of a chat', () => {
  test('is the same for the same person, another for another person, and the id itself if it is a UUID', async () => {
    const ada = () => 'ada'
    const one = await deriveSession('ai-sdk', ada, 'chat')
    expect(await deriveSession('ai-sdk', ada, 'chat')).toBe(one)
    expect(await deriveSession('ai-sdk', () => 'bob', 'chat')).not.toBe(one)
    expect(await deriveSession('ai-sdk', () => null, 'chat')).not.toBe(one)
    expect(await deriveSession('ai-sdk', () => null, 'chat","ada')).not.toBe(one)
    expect(await deriveSession('ai-sdk', ada, session.toUpperCase())).toBe(session)
  })
})
