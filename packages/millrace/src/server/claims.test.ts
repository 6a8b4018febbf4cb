import { afterEach, describe, expect, test } from 'vitest'
import { isMillraceError } from '../errors/index.ts'
import { createMemoryStore, type Store } from '../store/index.ts'
import { type Claims, type ClaimsOptions, createClaims } from './claims.ts'

const opened: Claims[] = []

afterEach(() => opened.splice(0).forEach((claims) => claims.close()))

function open(options: Partial<ClaimsOptions> = {}) {
  const clock = { now: 1_000_000 }
  const claims = createClaims({
    store: createMemoryStore(),
    node: 'here',
    claimMs: 30_000,
    maxClaims: 100,
    now: () => clock.now,
    onError: (error) => {
      throw error
    },
    ...options,
  })
  opened.push(claims)
  const take = (client: string, call = 'c1', session = 's'): unknown => {
    try {
      return claims.take(session, call, client).clientId
    } catch (error) {
      return isMillraceError(error) ? { code: error.code, ...error.details } : error
    }
  }
  return { claims, clock, take }
}

describe('a claim', () => {
  test('holds against others until it lapses, and tells them who and until when', () => {
    const { take, clock } = open()
    expect(take('tab1')).toBe('tab1')
    const refused = {
      code: 'conflict',
      client_id: 'tab1',
      expires_at: new Date(1_030_000).toISOString(),
    }
    expect(take('tab2')).toEqual(refused)
    clock.now += 29_999
    expect(take('tab2')).toEqual(refused)
    clock.now += 1
    expect(take('tab2')).toBe('tab2')
    expect(take('tab1')).toMatchObject({ client_id: 'tab2' })
  })

  test('is renewed by whoever holds it', () => {
    const { take, clock } = open()
    for (let n = 0; n < 10; n++) {
      expect(take('tab1')).toBe('tab1')
      clock.now += 20_000
    }
    expect(take('tab2')).toMatchObject({ code: 'conflict' })
  })

  test('is of one call of one session', () => {
    const { take } = open()
    expect(take('tab1', 'c1', 's')).toBe('tab1')
    expect(take('tab2', 'c2', 's')).toBe('tab2')
    expect(take('tab3', 'c1', 't')).toBe('tab3')
  })

  test('finds no room where there is none, and room again where others have lapsed', () => {
    const { take, clock } = open({ maxClaims: 2 })
    take('tab1', 'c1')
    clock.now += 1
    take('tab1', 'c2')
    expect(take('tab1', 'c3')).toMatchObject({ code: 'overloaded' })
    expect(take('tab1', 'c1')).toBe('tab1')
    clock.now += 30_000
    expect(take('tab1', 'c3')).toBe('tab1')
  })
})

/** A store whose messages between servers wait to be delivered. */
function createSlowPost(): { store: Store; deliver: () => Promise<void> } {
  const store = createMemoryStore()
  const waiting: [string, string][] = []
  const deliver = async (): Promise<void> => {
    for (const [session, command] of waiting.splice(0)) await store.send(session, command)
  }
  const send = async (session: string, command: string) => void waiting.push([session, command])
  return { store: { ...store, send }, deliver }
}

describe('servers that share a store', () => {
  test('know each other’s claims, whatever their clocks say', async () => {
    const { store, deliver } = createSlowPost()
    const here = open({ store, node: 'here' })
    const there = open({ store, node: 'there' })
    there.clock.now += 3_600_000
    here.take('tab1')
    await deliver()
    expect(there.take('tab2')).toMatchObject({ code: 'conflict', client_id: 'tab1' })
    there.clock.now += 30_000
    expect(there.take('tab2')).toBe('tab2')
  })

  test('have room for the claims of others where their own have lapsed', async () => {
    const { store, deliver } = createSlowPost()
    const here = open({ store, node: 'here', maxClaims: 1 })
    const there = open({ store, node: 'there' })
    here.take('tab1', 'c1')
    here.clock.now += 30_000
    there.take('tab2', 'c2')
    await deliver()
    expect(here.take('tab3', 'c2')).toMatchObject({ code: 'conflict', client_id: 'tab2' })
  })

  test('agree on one claim when both have granted one at once', async () => {
    const { store, deliver } = createSlowPost()
    const here = open({ store, node: 'here' })
    const there = open({ store, node: 'there' })
    here.take('tab2')
    here.clock.now += 5
    there.clock.now += 5
    there.take('tab1')
    await deliver()
    const holders = [here, there].map(({ take }) => take('nobody'))
    expect(holders).toMatchObject([{ client_id: 'tab1' }, { client_id: 'tab1' }])
  })

  test('keep the older one when a server comes late', async () => {
    const { store, deliver } = createSlowPost()
    const here = open({ store, node: 'here' })
    here.take('tab9')
    await deliver()
    const there = open({ store, node: 'there' })
    there.take('tab1')
    here.clock.now += 10_000
    here.take('tab9')
    await deliver()
    for (const { take } of [here, there])
      expect(take('nobody')).toMatchObject({ client_id: 'tab9' })
  })

  test('pass over what is no claim', async () => {
    const store = createMemoryStore()
    const { take } = open({ store })
    await store.send('s', '{"type":"stop"}')
    await store.send('s', 'not even JSON')
    expect(take('tab1')).toBe('tab1')
  })
})
