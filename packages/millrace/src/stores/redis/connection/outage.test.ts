import { describe, expect, test } from 'vitest'
import { redisMissing, startRedis } from '../../../../test/support/stores/redis-server.ts'
import { failure } from '../../../../test/support/stores/redis-talk.ts'
import { createRedisStore } from '../index.ts'
import { createOutage } from '../../remote/index.ts'

/** Records its calls in order. */
function createRecorder() {
  const received: unknown[] = []
  const onError = (error: unknown): void => void received.push(error)
  return { received, onError, onRestored: () => void received.push('back') }
}

test('a connection failure is reported once, and the recovery of all connections once', () => {
  const { received, ...listeners } = createRecorder()
  const createLink = createOutage({ database: 'Redis', ...listeners })
  const [one, other] = [createLink(), createLink()]
  one.restore()
  expect(received).toEqual([])
  const cause = new Error('refused')
  one.fail(cause)
  other.fail(cause)
  one.fail(cause)
  one.restore()
  expect(received).toMatchObject([{ code: 'store_unavailable', cause }])
  other.restore()
  other.restore()
  expect(received.slice(1)).toEqual(['back'])
  other.fail(cause)
  expect(received).toHaveLength(3)
})

test('an unreachable Redis is reported once, for any number of attempts', async () => {
  const { received, ...listeners } = createRecorder()
  const store = createRedisStore({
    url: 'redis://127.0.0.1:1',
    commandTimeoutMs: 500,
    ...listeners,
  })
  expect(await failure(store.ping())).toBe('store_unavailable')
  await store.close()
  expect(received).toMatchObject([{ code: 'store_unavailable', cause: { code: 'ECONNREFUSED' } }])
})

describe.skipIf(redisMissing !== '')(`an outage of Redis${redisMissing}`, () => {
  test('is reported when it begins and when it is over', async () => {
    const redis = await startRedis({ appendonly: 'yes', appendfsync: 'always' })
    const { received, ...listeners } = createRecorder()
    const store = createRedisStore({ url: redis.url, ...listeners })
    await store.ping()
    await redis.crash(async () => {
      await expect.poll(() => received).toHaveLength(1)
    })
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(2)
    expect(received).toMatchObject([{ code: 'store_unavailable' }, 'back'])
    await store.close()
    await redis.stop()
  }, 20_000)
})
