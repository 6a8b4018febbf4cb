import { expect, test, vi } from 'vitest'
import { uncaughtIn } from '../../../test/support/uncaught-in.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Appended } from '../../stores/port/index.ts'
import { untilReady } from '../reading/chunk-source.ts'
import { createFeeds, type Feeds, type Subscription } from './feed.ts'
const encoder = new TextEncoder()
const lines = (...texts: string[]) => texts.map((text) => encoder.encode(text))

async function open(heartbeatMs = 10_000) {
  const store = createMemoryStore()
  await store.open('s')
  const read = vi.spyOn(store, 'read')
  const wait = vi.spyOn(store, 'wait')
  const append = (tail: number, ...texts: string[]): Promise<Appended> =>
    store.append({ session: 's', epoch: 1, tail, lines: lines(...texts) })
  return { store, read, wait, append, feeds: createFeeds({ store, heartbeatMs }) }
}

/** Returns the data of the next frames of a subscription. */
async function next(subscription: Subscription, after: number): Promise<string[]> {
  for (;;) {
    const shared = subscription.take(after, Infinity)
    if (shared !== undefined) {
      return shared.entries().map(({ line }) => new TextDecoder().decode(line))
    }
    await untilReady(subscription)
  }
}

const joinAll = (feeds: Feeds, count: number): Subscription[] =>
  Array.from({ length: count }, () => feeds.join('s', 0))

test('reads a frame once for all live readers', async () => {
  const { feeds, append, read, wait } = await open()
  const subscriptions = joinAll(feeds, 100)
  const found = Promise.all(subscriptions.map((subscription) => next(subscription, 0)))
  await append(0, 'a', 'b')
  expect(await found).toEqual(subscriptions.map(() => ['a', 'b']))
  expect(read).toHaveBeenCalledTimes(1)
  expect(wait.mock.calls.length).toBeLessThanOrEqual(2)
  for (const subscription of subscriptions) subscription.close()
})

test('reads frames of other writers from the store, but not published ones', async () => {
  const { feeds, append, read } = await open()
  const [subscription] = joinAll(feeds, 1) as [Subscription]
  for (let tail = 0; tail < 5; tail++) {
    const found = next(subscription, tail)
    await append(tail, `${tail}`)
    feeds.publish('s', tail + 1, lines(`${tail}`))
    expect(await found).toEqual([`${tail}`])
  }
  await new Promise(setImmediate)
  expect(read).not.toHaveBeenCalled()
  await append(5, 'from another server')
  expect(await next(subscription, 5)).toEqual(['from another server'])
  subscription.close()
})

test('reads from the store after a gap, and frames too large for a chunk', async () => {
  const { feeds, append } = await open()
  const [subscription] = joinAll(feeds, 1) as [Subscription]
  await append(0, 'a', 'b')
  feeds.publish('s', 2, lines('b'))
  expect(await next(subscription, 0)).toEqual(['a', 'b'])
  feeds.publish('s', 1, lines('a'))
  expect(subscription.take(2, Infinity)).toBeUndefined()
  const large = Array.from({ length: 40 }, () => 'x'.repeat(2_000))
  await append(2, ...large)
  feeds.publish('s', 3, lines(...large))
  expect((await next(subscription, 2)).length).toBeLessThan(20)
  subscription.close()
})

test('an error thrown by one reader reaches neither the writer nor other readers', async () => {
  const { feeds } = await open()
  const subscriptions = joinAll(feeds, 2) as [Subscription, Subscription]
  const called: number[] = []
  const uncaught = await uncaughtIn(async () => {
    subscriptions.forEach((subscription, index) =>
      subscription.wait(
        () => {
          called.push(index)
          throw new Error(`of ${index}`)
        },
        () => {},
      ),
    )
    feeds.publish('s', 1, lines('a'))
    await new Promise(setImmediate)
  })
  expect(called).toEqual([0, 1])
  expect(uncaught.map(String)).toEqual(['Error: of 0', 'Error: of 1'])
  for (const subscription of subscriptions) subscription.close()
})

test('a feed ends with its last reader, and the next reader opens a new one', async () => {
  const { feeds, append, store } = await open()
  const signals: AbortSignal[] = []
  const { wait } = store
  store.wait = (session, after, signal) => {
    signals.push(signal)
    return wait(session, after, signal)
  }
  const subscriptions = joinAll(feeds, 2)
  await new Promise(setImmediate)
  subscriptions[0]?.close()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  subscriptions[1]?.close()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  const again = feeds.join('s', 0)
  await append(0, 'a')
  expect(await next(again, 0)).toEqual(['a'])
  again.close()
})

test('a store failure fails all readers, also later ones', async () => {
  const { feeds, store } = await open()
  const subscriptions = joinAll(feeds, 3)
  const waits = subscriptions.map((subscription) => next(subscription, 0))
  await store.remove('s')
  for (const wait of waits) await expect(wait).rejects.toThrow(/s/)
  await store.open('s')
  const again = feeds.join('s', 0)
  await store.append({ session: 's', epoch: 1, tail: 0, lines: lines('new') })
  expect(await next(again, 0)).toEqual(['new'])
  for (const subscription of [...subscriptions, again]) subscription.close()
})

test('[SSE-3] waiting readers get a heartbeat for each idle interval', async () => {
  const { feeds, append } = await open(5)
  const [subscription] = joinAll(feeds, 1) as [Subscription]
  await append(0, 'a')
  expect(await next(subscription, 0)).toEqual(['a'])
  await untilReady(subscription)
  expect(subscription.takeHeartbeat()).toBe(true)
  expect(subscription.takeHeartbeat()).toBe(false)
  // Older frames are read from the store by now.
  expect(subscription.take(0, Infinity)).toBeUndefined()
  expect(subscription.tail()).toBe(1)
  subscription.close()
})
