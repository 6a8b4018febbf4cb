import { afterEach, describe, expect, test } from 'vitest'
import { createTestServers } from '../../../test/support/servers/test-servers.ts'
import { createSession } from '../transport/http/http-session.ts'
import { deleteSession, renameSession } from './control-run.ts'
import type { FetchFunction } from '../session.ts'

const testServers = createTestServers()
afterEach(testServers.close)

test('a session is renamed and deleted, by its object or its id', async () => {
  const { url, get } = await testServers.open()
  const session = createSession({ url })
  await session.run('hello')
  expect(await renameSession(session, ' Trip to Rome ')).toBe('Trip to Rome')
  expect(await (await get(`/agent/${session.id}`)).json()).toMatchObject({ title: 'Trip to Rome' })
  await expect(renameSession(session, '')).rejects.toMatchObject({
    details: { code: 'bad_request' },
  })
  const place = { id: session.id, options: { url } }
  expect(await deleteSession(place)).toBe(true)
  expect(await deleteSession(place)).toBe(false)
  expect((await get(`/agent/${session.id}`)).status).toBe(404)
  await expect(renameSession(place, 'x')).rejects.toMatchObject({ details: { code: 'not_found' } })
})

test('a rejection by the server is reported as an error', async () => {
  const { url } = await testServers.open({ authorize: (_, action) => action !== 'delete' })
  const session = createSession({ url, headers: { authorization: 'Bearer x' } })
  await session.run('hello')
  expect(await deleteSession(session)).toBe(false)
  const closed = { id: session.id, options: { url: 'http://127.0.0.1:1' } }
  await expect(deleteSession(closed)).rejects.toThrow()
})

describe('a request whose response is lost', () => {
  /** A session with one run; the responses to this many changes of it are lost. */
  async function open(lost: number) {
    const { url, get } = await testServers.open()
    const asked: string[] = []
    const losing: FetchFunction = async (address, init) => {
      const response = await fetch(address, init)
      if (init.method !== 'DELETE' && init.method !== 'PATCH') return response
      if (asked.push(init.method) > lost) return response
      await response.arrayBuffer()
      throw new TypeError('reset')
    }
    const session = createSession({ url })
    await session.run('hello')
    const place = { id: session.id, options: { url, fetch: losing, retryDelayMs: 1 } }
    return { place, asked, get: () => get(`/agent/${session.id}`) }
  }

  test('is made again for the same log: a session that was created again meanwhile stays', async () => {
    const { url, get } = await testServers.open()
    const session = createSession({ url })
    await session.run('hello')
    const losing: FetchFunction = async (address, init) => {
      const response = await fetch(address, init)
      if (init.method !== 'DELETE' || !response.ok) return response
      await createSession({ url, session: session.id }).run('again')
      throw new TypeError('reset')
    }
    const place = { id: session.id, options: { url, fetch: losing, retryDelayMs: 1 } }
    expect(await deleteSession(place)).toBe(true)
    expect(await (await get(`/agent/${session.id}`)).json()).toMatchObject({ title: 'again' })
  })

  test('is not made again if the log is unknown', async () => {
    const { url } = await testServers.open({ authorize: (_, action) => action !== 'read' })
    const session = createSession({ url, retryDelayMs: 1 })
    await session.run('hello')
    const asked: unknown[] = []
    const losing: FetchFunction = async (address, init) => {
      const response = await fetch(address, init)
      if (init.method !== 'DELETE') return response
      asked.push(response.status)
      throw new TypeError('reset')
    }
    const place = { id: session.id, options: { url, fetch: losing, retryDelayMs: 1 } }
    await expect(deleteSession(place)).rejects.toMatchObject({ code: 'connection_lost' })
    expect(asked).toEqual([200])
  })

  test.each([1, 2])('is repeated after %i failures: the session is deleted', async (lost) => {
    const { place, asked, get } = await open(lost)
    expect(await deleteSession(place)).toBe(true)
    expect(asked).toHaveLength(lost + 1)
    expect((await get()).status).toBe(404)
    expect(await deleteSession(place)).toBe(false)
  })

  test('is repeated: the session has its title', async () => {
    const { place, asked, get } = await open(2)
    expect(await renameSession(place, 'Rome')).toBe('Rome')
    expect(asked).toHaveLength(3)
    expect(await (await get()).json()).toMatchObject({ title: 'Rome' })
  })

  test('keeps a later title if it is repeated', async () => {
    const { url, get } = await testServers.open()
    const session = createSession({ url })
    await session.run('hello')
    const losing: FetchFunction = async (address, init) => {
      const response = await fetch(address, init)
      if ((await (await get(`/agent/${session.id}`)).text()).includes('Paris')) return response
      await renameSession({ id: session.id, options: { url } }, 'Paris')
      throw new TypeError('reset')
    }
    const place = { id: session.id, options: { url, fetch: losing, retryDelayMs: 1 } }
    expect(await renameSession(place, 'Rome')).toBe('Rome')
    expect(await (await get(`/agent/${session.id}`)).json()).toMatchObject({ title: 'Paris' })
  })

  test('is reported as a connection failure after three attempts', async () => {
    const { place } = await open(3)
    await expect(deleteSession(place)).rejects.toMatchObject({ code: 'connection_lost' })
  })
})
