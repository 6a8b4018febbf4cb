import { expect, test } from 'vitest'
import { isMillraceError } from '../../errors/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { claimCall } from './answer-routes.ts'
import { defaultLimits } from '../handler-options.ts'

const claimMs = 30_000

/** Two servers that share a store, whose clock is not theirs. */
async function open() {
  const clock = { now: 1_000_000 }
  const store = createMemoryStore({ now: () => clock.now })
  for (const session of ['s', 't']) await store.open(session)
  const limits = { ...defaultLimits, claimMs }
  const take = async (clientId: string, callId = 'c1', session = 's', skew = 0) => {
    const server = { store, limits, now: () => clock.now + skew }
    try {
      return await claimCall(server, { session, toolUseId: callId, clientId })
    } catch (error) {
      return isMillraceError(error) ? { code: error.code, ...error.details } : error
    }
  }
  return { clock, take }
}

const toTime = (at: number): string => new Date(at).toISOString()

test('a claim excludes others until it lapses, and names its holder and expiry to them', async () => {
  const { take, clock } = await open()
  expect(await take('tab1')).toBe(toTime(1_030_000))
  const refused = { code: 'conflict', client_id: 'tab1', expires_at: toTime(1_030_000) }
  expect(await take('tab2')).toEqual(refused)
  clock.now += 29_999
  expect(await take('tab2')).toEqual(refused)
  clock.now += 1
  expect(await take('tab2')).toBe(toTime(1_060_000))
  expect(await take('tab1')).toMatchObject({ client_id: 'tab2' })
})

test('a claim is renewed by its holder', async () => {
  const { take, clock } = await open()
  for (let n = 0; n < 10; n++) {
    expect(await take('tab1')).toBe(toTime(clock.now + claimMs))
    clock.now += 20_000
  }
  expect(await take('tab2')).toMatchObject({ code: 'conflict' })
})

test('a claim is for one call of one session', async () => {
  const { take, clock } = await open()
  const granted = toTime(clock.now + claimMs)
  expect(await take('tab1', 'c1', 's')).toBe(granted)
  expect(await take('tab2', 'c2', 's')).toBe(granted)
  expect(await take('tab3', 'c1', 't')).toBe(granted)
})

test('of concurrent claims through several servers one is granted, for any clocks', async () => {
  const { take } = await open()
  const skews = [0, 3_600_000, -3_600_000]
  const outcomes = await Promise.all(skews.map((skew, n) => take(`tab${n}`, 'c1', 's', skew)))
  expect(outcomes.filter((outcome) => typeof outcome === 'string')).toHaveLength(1)
  expect(outcomes.slice(1)).toMatchObject([{ client_id: 'tab0' }, { client_id: 'tab0' }])
})
