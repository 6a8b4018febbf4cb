import { afterEach, describe, expect, test } from 'vitest'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import type { Agent } from '../../agent/port/agent.ts'
import { defaultProtocols } from '../../protocols/registry/index.ts'
import { createSqliteStore } from '../../stores/sqlite/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler } from '../handler.ts'

const formats = defaultProtocols().map(({ name }) => name)
const nextPath = temporaryPaths()
const stores: Readonly<Record<string, () => Store>> = {
  memory: () => createMemoryStore(),
  SQLite: () => createSqliteStore({ path: nextPath(), groupMs: 0 }),
}

/** Emits ten words and ends; with the prompt `wait`, it first waits until it is stopped. */
const talker: Agent = {
  name: 'talker',
  async *run({ agent, prompt = '' }, { signal } = {}) {
    const usage = { input_tokens: 0, output_tokens: 0 }
    yield { type: 'run_start', agent, runId: 'r', prompt, model: 'm', messages: [] }
    const block = { agent, block: 0, kind: 'text', content: { type: 'text', text: '' } } as const
    yield { type: 'block_start', ...block }
    if (prompt === 'wait')
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
    for (let word = 0; word < 10; word++)
      yield { type: 'block_delta', agent, block: 0, text: `${String(prompt)} ${word} ` }
    yield { type: 'block_end', ...block }
    const end = { type: 'run_end', agent, stopReason: 'end_turn', steps: 1, usage } as const
    yield { ...end, messages: [], files: [] }
  },
}

const session = '00000000-0000-4000-8000-000000000000'
const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function open(store: Store) {
  const handler = createHandler({ agents: { talker }, defaultAgent: 'talker', store })
  closing.push(() => store.close(), handler.close)
  const fetch = (path: string, init?: RequestInit): Promise<Response> =>
    handler.fetch(new Request(`http://localhost${path}`, init))
  return {
    get: (query: string, headers: Record<string, string> = {}) =>
      fetch(`/agent/${session}/stream${query}`, { headers }),
    fetch,
    ask: async (prompt: string): Promise<Response> =>
      fetch('/agent/run', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ agent_uuid: session, user_prompt: prompt }),
      }),
  }
}

function withResolvers() {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => (resolve = settle))
  return { promise, resolve }
}

const logOf = ({ headers }: Response): string => headers.get('millrace-log') ?? ''

const idsIn = (text: string): string[] =>
  [...text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id)

describe.each(Object.entries(stores))('on %s', (_, create) => {
  /** A session that had a run, was removed and had another run. */
  const openAgain = async () => {
    const store = create()
    const server = open(store)
    const first = await server.ask('old')
    const ids = idsIn(await first.text())
    await store.remove(session)
    const second = await server.ask('new')
    await second.text()
    return { ...server, store, old: logOf(first), present: logOf(second), lastId: ids.at(-1) ?? '' }
  }

  test('[LOG-12] responses name the log, which stays the same from run to run', async () => {
    const server = open(create())
    const log = logOf(await server.ask('one'))
    expect(log).toMatch(/^[0-9a-v]{12}$/)
    const paths = ['', '/stream', '/conversations', '/times'].map(
      (end) => `/agent/${session}${end}`,
    )
    for (const path of paths) expect(logOf(await server.fetch(path))).toBe(log)
    expect(logOf(await server.ask('two'))).toBe(log)
  })

  test('[LOG-12] a request that names the old log in any form gets 410, and nothing of the new one', async () => {
    const { get, fetch, old, present, lastId } = await openAgain()
    expect(present).not.toBe(old)
    const asked = await Promise.all([
      get(`?cursor=${lastId}&log=${old}`),
      get(`?cursor=0&log=${old}`),
      get(`?cursor=${lastId}@${old}`),
      get('', { 'last-event-id': `${lastId}@${old}` }),
      get('', { 'last-event-id': lastId, 'millrace-log': old }),
      get(`?format=ag-ui`, { 'last-event-id': `3.1@${old}` }),
      fetch(`/agent/${session}?log=${old}`),
      fetch(`/agent/${session}/stop`, { method: 'POST', headers: { 'millrace-log': old } }),
    ])
    for (const response of asked) {
      expect(response.status).toBe(410)
      const { error } = (await response.json()) as { error: Record<string, unknown> }
      expect(error).toMatchObject({ code: 'log_replaced', log: present })
      expect(error['message']).toContain('read from the start')
    }
  })

  test('[SES-1] a removal that names the log does not affect a session that begins again meanwhile', async () => {
    const store = create()
    let beginsAgain = false
    const { ask, fetch } = open({
      ...store,
      info: async (name) => {
        const info = await store.info(name)
        if (!beginsAgain) return info
        beginsAgain = false
        await store.remove(name)
        await (await ask('new')).text()
        return info
      },
    })
    const first = await ask('old')
    await first.text()
    beginsAgain = true
    const headers = { 'millrace-log': logOf(first) }
    const response = await fetch(`/agent/${session}`, { method: 'DELETE', headers })
    expect(response.status).toBe(410)
    const present = (await store.info(session))?.log
    expect(present).not.toBe(logOf(first))
    const named = { 'millrace-log': present ?? '' }
    expect((await fetch(`/agent/${session}`, { method: 'DELETE', headers: named })).status).toBe(
      200,
    )
  })

  test('[LOG-12] a bare cursor is not accepted as one of a session that has begun again', async () => {
    const { get, present, lastId } = await openAgain()
    expect((await get('', { 'last-event-id': lastId })).status).toBe(410)
    expect((await get(`?cursor=${lastId}`)).status).toBe(410)
    const resumed = await get(`?cursor=3&log=${present}`)
    expect(idsIn(await resumed.text())[0]).toMatch(/^\d+$/)
    expect((await get('')).status).toBe(200)
  })

  test('[LOG-12] a reader whose session was removed gets 410 if it names the log, and otherwise 404', async () => {
    const { get, fetch, store, present } = await openAgain()
    await store.remove(session)
    const response = await get(`?cursor=3&log=${present}`)
    expect(response.status).toBe(410)
    expect(await response.json()).toMatchObject({ error: { code: 'log_replaced', log: null } })
    expect((await get('?cursor=3')).status).toBe(404)
    expect((await fetch(`/agent/${session}`)).status).toBe(404)
    const remove = (headers = {}) => fetch(`/agent/${session}`, { method: 'DELETE', headers })
    expect((await remove()).status).toBe(404)
    const removed = await remove({ 'millrace-log': present ?? '' })
    expect(removed.status).toBe(410)
    expect(await removed.json()).toMatchObject({ error: { code: 'log_replaced', log: null } })
  })

  test('[LOG-6] a cursor beyond the end of the named log reports that the log was truncated', async () => {
    const { get, present } = await openAgain()
    const response = await get(`?cursor=900&log=${present}`)
    expect(response.status).toBe(410)
    expect(await response.json()).toMatchObject({ error: { code: 'log_truncated' } })
  })

  test('[LOG-12] ids name the log on request, and always in AG-UI and the AI SDK', async () => {
    const server = open(create())
    const log = logOf(await server.ask('one'))
    const plain = idsIn(await (await server.get('?compact=0')).text())
    expect(plain.every((id) => /^\d+$/.test(id))).toBe(true)
    const named = idsIn(await (await server.get('?compact=0&ids=log')).text())
    expect(named).toEqual(plain.map((id) => `${id}@${log}`))
    for (const format of ['ag-ui', 'ai-sdk', ...formats.map((name) => `${name}&ids=log`)]) {
      const all = idsIn(await (await server.get(`?format=${format}`)).text())
      expect(all.length).toBeGreaterThan(0)
      expect(all.filter((id) => !id.endsWith(`@${log}`))).toEqual([])
      const rest = await server.get(`?format=${format}`, { 'last-event-id': all[1] ?? '' })
      expect(idsIn(await rest.text())).toEqual(all.slice(2))
    }
  })

  test('[LOG-13] a run of a removed session does not affect the next one with its id', async () => {
    const store = create()
    const server = open(store)
    const first = await server.ask('wait')
    await store.remove(session)
    const second = await server.ask('new')
    expect(await second.text()).toContain('[DONE]')
    expect(logOf(second)).not.toBe(logOf(first))
    const received = await first.text()
    expect(received).not.toContain('[DONE]')
    expect(received).not.toContain('new')
  })

  const forms = ['?', '?ids=log', '?settled=1', ...formats.map((name) => `?format=${name}`)]
  test.each(forms)(
    '[LOG-13] a follower (%s) of a removed session gets the end of its stream',
    async (form) => {
      const store = create()
      const server = open(store)
      await (await server.ask('old')).text()
      const response = await server.get(`${form}&follow=1`)
      let received = ''
      const { promise: isRead, resolve } = withResolvers()
      const ended = (async () => {
        for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
          received += text
          if (received.includes('old 9')) resolve()
        }
      })()
      await Promise.race([isRead, ended])
      expect(received).toContain('old 9')
      await store.remove(session)
      await (await server.ask('new')).text()
      await ended
      expect(received).not.toContain('new')
    },
  )
})

test('[LOG-13] a reader that is behind when its session begins again gets none of the new log', async () => {
  const store = createMemoryStore()
  let gate: Promise<void> | undefined
  const slow: Store = {
    ...store,
    read: async (...args) => {
      const passed = gate
      gate = undefined
      await passed
      return store.read(...args)
    },
  }
  const server = open(slow)
  await (await server.ask('old')).text()
  let release = (): void => {}
  gate = new Promise((resolve) => (release = resolve))
  const text = (await server.get('?compact=0')).text()
  await expect.poll(() => gate === undefined).toBe(true)
  await store.remove(session)
  await (await server.ask('new')).text()
  release()
  expect(await text).not.toContain('new')
})
