import { afterEach, describe, expect, test } from 'vitest'
import { type CommandServer, openCommandServer } from '../../test/support/servers/command-server.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import type { Store } from '../stores/port/index.ts'
import { exportSession } from './archive/export-session.ts'
import { importSession } from './archive/import-session.ts'
import { createOwnerQuota } from './sessions/quota.ts'

const servers: CommandServer[] = []
const polling = { timeout: 20_000 }
const ids = Array.from({ length: 9 }, (_, n) => `${n}0000000-0000-4000-8000-000000000000`)
const [first = '', second = '', third = '', fourth = '', ...more] = ids

afterEach(async () => {
  for (const { gate } of servers) gate.open()
  await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
})

/** A server with the owner in a header, and helpers for its requests. */
function open(limits: { readonly maxOwnerBytes?: number } = {}, store = createMemoryStore()) {
  const context = (request: Request) => request.headers.get('x-user')
  const owner = (user: unknown) => (typeof user === 'string' ? user : null)
  const server = openCommandServer(store, { context, owner, limits })
  servers.push(server)
  const send = (user: string, method: string, path: string, body?: object | FormData) => {
    const isForm = body instanceof FormData
    const init = {
      method,
      headers: {
        ...(user !== '' && { 'x-user': user }),
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    }
    return server.handler.fetch(new Request(`http://localhost${path}`, init))
  }
  /** Sends a request and reads its whole response. */
  const post = async (user: string, path: string, body: object | FormData) => {
    const response = await send(user, 'POST', path, body)
    return { status: response.status, text: await response.text() }
  }
  const ask = (user: string, session: string, fields: object = {}) =>
    post(user, '/agent/run', { agent_uuid: session, user_prompt: 'hello', ...fields })
  const form = (session: string, size: number): FormData => {
    const made = new FormData()
    made.set('agent_uuid', session)
    made.append('files', new File(['x'.repeat(size)], 'a.txt', { type: 'text/plain' }))
    return made
  }
  const upload = (user: string, session: string, size: number) =>
    post(user, '/agent/upload', form(session, size))
  const ownerOf = async (session: string) => (await store.info(session))?.owner
  return { ...server, store, send, post, ask, form, upload, ownerOf }
}

const threadOf = (threadId: string, runId: string) => ({
  threadId,
  runId,
  state: {},
  tools: [],
  context: [],
  forwardedProps: {},
  messages: [{ id: 'm1', role: 'user', content: 'hello' }],
})

const chatOf = (id: string) => ({
  id,
  trigger: 'submit-message',
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
})

describe('the owner of a session', () => {
  test('[SES-5] is that of the request that creates it, by every route', async () => {
    const { post, ask, form, upload, ownerOf, send } = open()
    const [fifth = '', sixth = ''] = more
    expect((await ask('ann', first)).status).toBe(200)
    const withText = form(second, 3)
    withText.set('user_prompt', 'hello')
    expect((await post('bob', '/agent/run/multipart', withText)).status).toBe(200)
    expect((await upload('cid', third, 3)).status).toBe(200)
    expect((await post('dee', '/ai-sdk/chat', chatOf(fourth))).status).toBe(200)
    expect((await post('eve', '/ag-ui', threadOf(fifth, 'r1'))).status).toBe(200)
    const fork = await post('ann', `/agent/${first}/fork`, { branch_uuid: sixth })
    expect(fork.status).toBe(200)
    const regenerated = await ask('ann', first, { regenerate: true, user_prompt: undefined })
    expect(regenerated.status).toBe(200)
    const owners = [first, second, third, fourth, fifth, sixth].map(ownerOf)
    expect(await Promise.all(owners)).toEqual(['ann', 'bob', 'cid', 'dee', 'eve', 'ann'])
    const { branches } = (await (await send('ann', 'GET', `/agent/${first}/branches`)).json()) as {
      branches: { agent_uuid: string }[]
    }
    const all = await Promise.all(branches.map((branch) => ownerOf(branch.agent_uuid)))
    expect(all).toEqual(['ann', 'ann'])
  })

  test('is required of a request', async () => {
    const { ask, upload, send, store } = open()
    for (const { status } of [await ask('', first), await upload('', first, 3)])
      expect(status).toBe(401)
    expect((await send('', 'GET', '/agent/sessions')).status).toBe(401)
    expect((await send('', 'GET', '/health')).status).toBe(200)
    expect((await store.list({ limit: 1, offset: 0 })).total).toBe(0)
  })

  test('is checked again where a request creates a session that another owner created meanwhile', async () => {
    const store = createMemoryStore()
    const { ask, upload, ownerOf } = open({}, store)
    const { info } = store
    let creates = true
    // Creates the session right after access is checked.
    store.info = async (session) => {
      const found = await info(session)
      if (creates && found === undefined) {
        creates = false
        await store.open(session, undefined, 0, 'bob')
      }
      return found
    }
    expect((await ask('ann', first)).status).toBe(404)
    creates = true
    expect((await upload('ann', second, 3)).status).toBe(404)
    expect(await Promise.all([first, second].map(ownerOf))).toEqual(['bob', 'bob'])
    expect(await store.fileIds(second)).toEqual([])
  })

  test('is rejected if it is invalid, and nothing is stored', async () => {
    const { ask, upload, store } = open()
    for (const { status, text } of [
      await ask('x'.repeat(201), first),
      await upload('x'.repeat(201), first, 3),
    ]) {
      expect(status).toBe(400)
      expect(text).toMatch(/owner of a session must have 1 to 200 characters/)
    }
    expect((await store.list({ limit: 1, offset: 0 })).total).toBe(0)
  })

  test('is part of an archive; archives of older servers have none', async () => {
    const { ask, store } = open()
    await ask('ann', first)
    const lines: string[] = []
    for await (const line of exportSession(store, first)) lines.push(line)
    const importInto = async (given: readonly string[]) => {
      const other = createMemoryStore()
      async function* read() {
        yield* given
      }
      await importSession(other, read())
      return (await other.info(first))?.owner
    }
    expect(await importInto(lines)).toBe('ann')
    const [start = '', ...rest] = lines
    const { owner: _, ...old } = JSON.parse(start) as Record<string, unknown>
    expect(await importInto([`${JSON.stringify(old)}\n`, ...rest])).toBe(null)
    const wrong = [`${JSON.stringify({ ...old, owner: 7 })}\n`, ...rest]
    await expect(importInto(wrong)).rejects.toMatchObject({ code: 'bad_request' })
  })
})

describe('the quota of an owner', () => {
  const maxOwnerBytes = 300_000
  const full = { status: 413, text: expect.stringContaining('limits.maxOwnerBytes') as unknown }

  test('rejects prompts and files of an owner above the quota until a session is deleted', async () => {
    const { ask, upload, post, send, store, form } = open({ maxOwnerBytes })
    expect(await ask('ann', first)).toMatchObject({ status: 200 })
    expect(await upload('ann', second, 200_000)).toMatchObject({ status: 200 })
    expect(await upload('ann', third, 100_000)).toMatchObject(full)
    expect(await upload('ann', first, 90_000)).toMatchObject({ status: 200 })
    expect(await upload('bob', third, 290_000)).toMatchObject({ status: 200 })
    // Runs count as well, until the quota is reached.
    await expect
      .poll(() => ask('ann', first, { user_prompt: 'x'.repeat(9_000) }), polling)
      .toMatchObject(full)
    expect(await ask('ann', second)).toMatchObject(full)
    const asked = form(second, 1)
    asked.set('user_prompt', 'hello')
    expect(await post('ann', '/agent/run/multipart', asked)).toMatchObject(full)
    const [fifth = ''] = more
    expect(await post('ann', '/ai-sdk/chat', chatOf(fifth))).toMatchObject({ status: 413 })
    expect(await post('ann', '/ag-ui', threadOf(fifth, 'r1'))).toMatchObject({ status: 413 })
    const again = { regenerate: true, user_prompt: undefined, branch_uuid: fifth }
    expect(await ask('ann', first, again)).toMatchObject(full)
    expect(await store.info(fifth)).toBeUndefined()
    expect(await ask('bob', fifth)).toMatchObject({ status: 200 })
    expect((await send('ann', 'DELETE', `/agent/${second}`)).status).toBe(200)
    expect(await ask('ann', first)).toMatchObject({ status: 200 })
  })

  test('voids a queued prompt that exceeds the quota, with the reason', async () => {
    const { send, post, store, gate } = open({ maxOwnerBytes })
    const session = '00000000-0000-4000-8000-000000000000'
    const hold = { agent_uuid: session, user_prompt: 'hold' }
    const running = await send('ann', 'POST', '/agent/run', hold)
    const waiting = { ...hold, user_prompt: 'next', message_id: 'm1', when_busy: 'queue' }
    const queued = await send('ann', 'POST', '/agent/run', waiting)
    const body = JSON.stringify({ run: 1, command: { type: 'count', bytes: maxOwnerBytes } })
    await store.submit(session, { key: 'count', body })
    await store.send(session, 'wake')
    await expect
      .poll(async () => (await store.info(session))?.head, polling)
      .toMatch(/"bytes":3\d{5}\b/)
    const late = { ...waiting, message_id: 'm2' }
    expect(await post('ann', '/agent/run', late)).toMatchObject(full)
    gate.open()
    await Promise.all([running.text(), queued.text()])
    const stream = await send('ann', 'GET', `/agent/${session}/stream?cursor=0`)
    const received = await stream.text()
    expect(received).toContain('limits.maxOwnerBytes')
    expect((await store.info(session))?.owner).toBe('ann')
  })

  test('counts all pages of a list, and files uploaded before a prompt', async () => {
    const store: Store = createMemoryStore()
    for (let n = 0; n < 600; n++) {
      await store.open(`s${n}`, undefined, 0, n % 2 === 0 ? 'ann' : 'bob')
      const head = JSON.stringify({ version: 2, bytes: 10 })
      await store.append({ session: `s${n}`, epoch: 1, tail: 0, lines: [], head })
    }
    const { upload } = open({}, store)
    await upload('ann', first, 7)
    const bytes = 3_007
    const check = (max: number, added: number) => createOwnerQuota(store, max).check('ann', added)
    await check(bytes + 1, 1)
    await expect(check(bytes + 1, 2)).rejects.toMatchObject({ details: { max_bytes: bytes + 1 } })
    await expect(check(bytes, 0)).rejects.toThrow(`about ${bytes} bytes`)
    const quota = createOwnerQuota(store, bytes + 5)
    await quota.check('ann')
    quota.add('ann', 5)
    quota.add(null, 5)
    await expect(quota.check('ann')).rejects.toMatchObject({ code: 'payload_too_large' })
    await quota.check('bob')
    await quota.check(null, 1e9)
  })

  test('reads again after a failure of the store', async () => {
    const store = createMemoryStore()
    let isAway = true
    const list: Store['list'] = (range) =>
      isAway ? Promise.reject(new Error('away')) : store.list(range)
    const quota = createOwnerQuota({ ...store, list }, 1)
    await expect(quota.check('ann')).rejects.toThrow()
    isAway = false
    await quota.check('ann')
  })
})
