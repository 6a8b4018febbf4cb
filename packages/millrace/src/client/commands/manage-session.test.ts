import { afterEach, expect, test } from 'vitest'
import { createStreet } from '../../../test/support/servers/house-talk.ts'
import { createSession } from '../create-session.ts'
import { deleteSession, renameSession } from './manage-session.ts'

const street = createStreet()
afterEach(street.close)

test('a session is renamed and deleted, by its object or its id', async () => {
  const { url, get } = await street.open()
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

test('a server that refuses is told as an error', async () => {
  const { url } = await street.open({ authorize: (_, action) => action !== 'delete' })
  const session = createSession({ url, headers: { authorization: 'Bearer x' } })
  await session.run('hello')
  expect(await deleteSession(session)).toBe(false)
  const closed = { id: session.id, options: { url: 'http://127.0.0.1:1' } }
  await expect(deleteSession(closed)).rejects.toThrow()
})
