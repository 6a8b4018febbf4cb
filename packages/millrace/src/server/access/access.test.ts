import { afterEach, describe, expect, test } from 'vitest'
import {
  type CommandServer,
  type CommandServerOptions,
  openCommandServer,
  session,
} from '../../../test/support/servers/command-server.ts'
import { createGate } from '../../../test/support/agents/agent-harness.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { createHandler } from '../handler.ts'
import type { Access } from '../handler-options.ts'

const servers: CommandServer[] = []

afterEach(async () => {
  for (const { gate } of servers) gate.open()
  await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
})

const other = '10000000-0000-4000-8000-000000000000'

/** A server whose users are named in a header. */
function open(options: CommandServerOptions = {}, store = createMemoryStore()) {
  const server = openCommandServer(store, {
    context: ({ headers }) => ({ name: headers.get('x-user') }),
    owner: (user) => (user as { name: string | null }).name,
    ...options,
  })
  servers.push(server)
  const send = (user: string, method: string, path: string, body?: object, more = {}) =>
    server.handler.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...(user !== '' && { 'x-user': user }),
          ...(body && { 'content-type': 'application/json' }),
          ...more,
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
  const ask = async (user: string, id: string = session, prompt = 'hello') => {
    const body = { agent_uuid: id, user_prompt: prompt }
    const response = await send(user, 'POST', '/agent/run', body)
    return { status: response.status, text: await response.text() }
  }
  const list = async (user: string) => {
    const found = (await (await send(user, 'GET', '/agent/sessions')).json()) as {
      sessions: { agent_uuid: string }[]
      total: number
    }
    return [found.sessions.map(({ agent_uuid: id }) => id), found.total]
  }
  return { ...server, store, send, ask, list }
}

describe('options that leave sessions open by mistake are refused', () => {
  const create = (options: object) => () =>
    createHandler({
      agents: { a: { name: 'a', run: () => [] as never } },
      defaultAgent: 'a',
      store: createMemoryStore(),
      ...options,
    })

  test('`context` without `owner`', () =>
    expect(create({ context: () => 'ann' })).toThrow(/`context` needs `owner/))
  test('`owner` without `context`', () =>
    expect(create({ owner: () => 'ann' })).toThrow(/add `context/))
  test('a context that cannot be stored', async () => {
    for (const context of [() => undefined, () => 'x'.repeat(20_000), () => () => 1]) {
      const errors: unknown[] = []
      const onError = (error: unknown): unknown => errors.push(error)
      const { ask } = open({ context, owner: () => 'ann', onError })
      expect((await ask('ann')).status).toBe(500)
      expect(String(errors[0])).toContain('`context` must return a JSON value')
    }
  })
  test('an owner that is no string, such as a promise', async () => {
    for (const owner of [() => undefined, async () => 'ann', () => 7]) {
      const errors: unknown[] = []
      const onError = (error: unknown): unknown => errors.push(error)
      const { ask, send, store } = open({ owner: owner as never, onError })
      expect((await ask('ann')).status).toBe(500)
      expect((await send('ann', 'GET', '/agent/sessions')).status).toBe(500)
      expect(String(errors[0])).toContain('`owner` returned a value of type')
      expect((await store.list({ limit: 1, offset: 0 })).total).toBe(0)
    }
  })
})

describe('a list', () => {
  test('has the sessions of the owner alone, and counts only these', async () => {
    const { ask, list } = open()
    await ask('ann')
    await ask('bob', other)
    expect(await list('ann')).toEqual([[session], 1])
    expect(await list('bob')).toEqual([[other], 1])
    expect(await list('eve')).toEqual([[], 0])
  })

  test('asks `authorize` for each row', async () => {
    const asked: unknown[] = []
    const authorize = (_: Request, action: string, id: string | undefined, access: Access) => {
      asked.push([action, id, access])
      return id !== other
    }
    const store = createMemoryStore()
    const { ask } = open({}, store)
    await ask('ann')
    await ask('ann', other)
    const { list } = open({ authorize }, store)
    expect((await list('ann'))[0]).toEqual([session])
    const access = { context: { name: 'ann' }, owner: 'ann', isShared: false }
    expect(asked).toEqual([
      ['list', undefined, access],
      ['read', other, access],
      ['read', session, access],
    ])
  })
})

test('a file of a session of another owner is missing as in an unknown session', async () => {
  const { ask, send } = open()
  await ask('ann')
  const look = async (id: string) => {
    const response = await send('bob', 'GET', `/agent/${id}/files/upload_${'0'.repeat(32)}`)
    return [response.status, (await response.text()).replaceAll(id, 'ID')]
  }
  expect(await look(session)).toEqual(await look(other))
})

test('a message that comes with answers has the context of its sender', async () => {
  const store = createMemoryStore()
  const { submit } = store
  const stored: string[] = []
  store.submit = (id, command, log) => {
    stored.push(command.body)
    return submit(id, command, log)
  }
  const gate = createGate()
  const agent = { finalAnswerCheck: () => gate.passed.then(() => true as const) }
  const { send } = open({ agent }, store)
  const chat = async (messages: readonly object[]) => {
    const body = { threadId: session, runId: crypto.randomUUID(), messages }
    const unused = { state: {}, tools: [], context: [], forwardedProps: {} }
    return send('ann', 'POST', '/ag-ui', { ...body, ...unused })
  }
  const asked = { id: 'm1', role: 'user', content: 'ask' }
  await (await chat([asked])).text()
  const result = { id: 'm2', role: 'tool', toolCallId: 'c1', content: 'yes' }
  const answered = await chat([asked, result, { id: 'm3', role: 'user', content: 'and more' }])
  const messages = stored.filter((body) => body.includes('and more'))
  expect(messages.map((body) => JSON.parse(body) as unknown)).toMatchObject([
    { command: { whenBusy: 'steer', context: { name: 'ann' } } },
  ])
  gate.open()
  expect(await answered.text()).toContain('RUN_FINISHED')
})

describe('a share link', () => {
  const share = async (send: ReturnType<typeof open>['send'], body?: object) => {
    const response = await send('ann', 'POST', `/agent/${session}/share`, body)
    return (await response.json()) as { share: string; expires_at: string }
  }

  test('shows one session to any reader, and allows no other action', async () => {
    const { ask, send } = open()
    await ask('ann')
    await ask('ann', other)
    const { share: token } = await share(send)
    const shared = { 'millrace-share': token }
    const read = await send('', 'GET', `/agent/${session}/stream?cursor=0`, undefined, shared)
    expect(read.status).toBe(200)
    expect(await read.text()).toContain('hello')
    const state = await send('bob', 'GET', `/agent/${session}?share=${token}`)
    expect(state.status).toBe(200)
    expect((await send('', 'GET', `/ai-sdk/chat/${session}/messages?share=${token}`)).status).toBe(
      200,
    )
    const refused = [
      ['GET', `/agent/${other}`],
      ['GET', '/agent/sessions'],
      ['POST', `/agent/${session}/stop`],
      ['POST', `/agent/${session}/share`],
      ['POST', `/agent/${session}/fork`],
      ['PATCH', `/agent/${session}`, { title: 'x' }],
      ['DELETE', `/agent/${session}`],
      ['POST', '/agent/run', { agent_uuid: session, user_prompt: 'x' }],
    ] as const
    for (const [method, path, body] of refused) {
      const { status } = await send('', method, path, body, shared)
      expect([method, path, status]).toEqual([method, path, 401])
      const ofBob = await send('bob', method, path, body, shared)
      expect([method, path, ofBob.status]).toEqual([
        method,
        path,
        path.endsWith('sessions') ? 200 : 404,
      ])
    }
  })

  test('shows no other session in a list of branches', async () => {
    const { ask, send } = open()
    await ask('ann')
    expect((await send('ann', 'POST', `/agent/${session}/fork`)).status).toBe(200)
    const { share: token } = await share(send)
    const branches = async (user: string, query = '') => {
      const response = await send(user, 'GET', `/agent/${session}/branches${query}`)
      return ((await response.json()) as { branches: unknown[] }).branches
    }
    expect(await branches('ann')).toHaveLength(1)
    expect(await branches('', `?share=${token}`)).toEqual([])
  })

  test('ends its stream with the run, also with `follow=1`', async () => {
    const { ask, send } = open()
    await ask('ann')
    const { share: token } = await share(send)
    const path = `/agent/${session}/stream?cursor=0&follow=1&share=${token}`
    expect(await (await send('', 'GET', path)).text()).toContain('[DONE]')
  })

  test('is reported to `authorize` with the owner of the session', async () => {
    const seen: Access[] = []
    const authorize = (_: Request, action: string, __: string | undefined, access: Access) => {
      if (action === 'read') seen.push(access)
      return true
    }
    const { ask, send } = open({ authorize })
    await ask('ann')
    const { share: token } = await share(send)
    await send('bob', 'GET', `/agent/${session}?share=${token}`)
    expect(seen).toEqual([{ context: undefined, owner: 'ann', isShared: true }])
  })

  test('cannot be checked without the store, which is no refusal', async () => {
    const store = createMemoryStore()
    const { file } = store
    let isAway = false
    store.file = (...given) => (isAway ? Promise.reject(new Error('away')) : file(...given))
    const { ask, send } = open({}, store)
    await ask('ann')
    const { share: token } = await share(send)
    isAway = true
    expect((await send('', 'GET', `/agent/${session}?share=${token}`)).status).toBe(503)
    isAway = false
    expect((await send('', 'GET', `/agent/${session}?share=${token}`)).status).toBe(200)
  })

  test('is not valid in a branch, nor served as a file, and its view is asked for as such', async () => {
    const readers: boolean[] = []
    const { ask, send, store } = open({
      view: (_, __, { isShared }) => {
        readers.push(isShared)
        return undefined
      },
    })
    await ask('ann')
    const { share: token } = await share(send)
    await send('ann', 'POST', `/agent/${session}/fork`, { branch_uuid: other })
    expect((await send('bob', 'GET', `/agent/${other}?share=${token}`)).status).toBe(404)
    expect(await store.fileIds(session)).toContain('share_link')
    expect((await send('ann', 'GET', `/agent/${session}/files/share_link`)).status).toBe(404)
    readers.length = 0
    await send('bob', 'GET', `/agent/${session}?share=${token}`)
    await send('ann', 'GET', `/agent/${session}`)
    expect(readers).toEqual([true, false])
  })

  test('is gone with its session, also if that is created again', async () => {
    const { ask, send } = open()
    await ask('ann')
    const { share: token } = await share(send)
    await send('ann', 'DELETE', `/agent/${session}`)
    await ask('ann')
    expect((await send('bob', 'GET', `/agent/${session}?share=${token}`)).status).toBe(404)
  })

  test('is valid until it is revoked, replaced or expired', async () => {
    const { ask, send } = open()
    await ask('ann')
    const look = async (token: string) =>
      (await send('bob', 'GET', `/agent/${session}?share=${token}`)).status
    const { share: first } = await share(send)
    const { share: second } = await share(send)
    expect([await look(first), await look(second), await look('x')]).toEqual([404, 200, 404])
    const revoke = async () =>
      (await (await send('ann', 'DELETE', `/agent/${session}/share`)).json()) as object
    expect(await revoke()).toEqual({ revoked: true })
    expect(await revoke()).toEqual({ revoked: false })
    expect(await look(second)).toBe(404)
    const { share: short } = await share(send, { expires_in: 1 })
    expect(await look(short)).toBe(200)
    await expect.poll(() => look(short), { timeout: 20_000 }).toBe(404)
  })

  test('is created by the owner alone, with `authorize`', async () => {
    const { ask, send } = open({ authorize: (_, action) => action !== 'share' })
    await ask('ann')
    expect((await send('ann', 'POST', `/agent/${session}/share`)).status).toBe(404)
    expect((await send('bob', 'POST', `/agent/${session}/share`)).status).toBe(404)
  })
})
