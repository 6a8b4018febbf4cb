import { expect, test } from 'vitest'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createRemoteCompletions } from './completion.ts'

const encoder = new TextEncoder()
const toLine = (type: string, agent = 's') =>
  encoder.encode(JSON.stringify({ type, agent, final: true, delta: '' }))
const headOf = (status: string) => JSON.stringify({ version: 2, status })

/** A session whose run another server executes, with a count of head reads. */
async function open() {
  const store = createMemoryStore()
  let looks = 0
  const counted: Store = {
    ...store,
    info: (session) => {
      looks++
      return store.info(session)
    },
  }
  const { epoch, log } = await store.open('s')
  const write = async (type: string, status?: string, agent?: string): Promise<void> => {
    const tail = (await store.info('s'))?.tail ?? 0
    const head = status === undefined ? {} : { head: headOf(status) }
    await store.append({ session: 's', epoch, tail, lines: [toLine(type, agent)], ...head })
  }
  await write('meta_init', 'running')
  const closing = new AbortController()
  return {
    store,
    write,
    closing,
    ...followers(counted, closing.signal, log),
    looks: () => looks,
  }
}

const recovery = () => ({ attempt: async () => {}, isServed: () => true })

function followers(store: Store, signal: AbortSignal, log: string) {
  const remote = createRemoteCompletions({ store, signal, leaseMs: 60_000, recovery })
  return { log, completionOf: (tail: number) => remote({ session: 's', log, tail }) }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 1))

test('finds the end of a remote run in its log, and reads the head once', async () => {
  const { completionOf, write, looks } = await open()
  const completions = [completionOf(1), completionOf(1), completionOf(1)]
  await turn()
  for (let count = 0; count < 100; count++) {
    await write('text')
    await write('meta_end', undefined, 'sub')
  }
  await turn()
  expect(completions.map((completion) => completion.lastId())).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(looks()).toBe(1)
  await write('meta_end', 'ended')
  await expect
    .poll(() => completions.map((completion) => completion.lastId()))
    .toEqual([202, 202, 202])
  expect(looks()).toBe(1)
})

test('completes at once for a run that has ended', async () => {
  const { completionOf, write } = await open()
  await write('meta_end', 'paused')
  const completion = completionOf(2)
  await expect.poll(() => completion.lastId()).toBe(2)
})

test('a reader registered during the lookup does not get the end of an earlier run', async () => {
  const { store, write, log } = await open()
  await write('meta_end', 'ended')
  let late: ReturnType<ReturnType<typeof createRemoteCompletions>> | undefined
  const { completionOf } = followers(
    {
      ...store,
      info: async (session) => {
        const info = await store.info(session)
        if (late === undefined) {
          await write('meta_init', 'running')
          late = completionOf(3)
        }
        return info
      },
    },
    new AbortController().signal,
    log,
  )
  completionOf(1)
  await turn()
  expect(late?.lastId()).toBe(undefined)
  await write('meta_end', 'ended')
  await expect.poll(() => late?.lastId()).toBe(4)
})

test('a reader gets the end of its run even if the next run begins before the head is read', async () => {
  const { store, write, log } = await open()
  let pass = (): void => {}
  const passed = new Promise<void>((resolve) => (pass = resolve))
  const delayed: Store = {
    ...store,
    info: async (session) => {
      await passed
      return store.info(session)
    },
  }
  const { completionOf } = followers(delayed, new AbortController().signal, log)
  const first = completionOf(1)
  await write('meta_end', 'ended')
  await write('meta_init', 'running')
  const second = completionOf(3)
  pass()
  await expect.poll(() => first.lastId()).toBe(2)
  expect(second.lastId()).toBe(undefined)
  await write('meta_end', 'ended')
  await expect.poll(() => second.lastId()).toBe(4)
})

test('a reader registered between two runs gets the end of the second', async () => {
  const { completionOf, write } = await open()
  const first = completionOf(1)
  await turn()
  await write('meta_end', 'ended')
  await write('meta_init', 'running')
  const second = completionOf(3)
  const slow = completionOf(1)
  await expect.poll(() => [first.lastId(), slow.lastId()]).toEqual([2, 2])
  expect(second.lastId()).toBe(undefined)
  await write('meta_end', 'ended')
  await expect.poll(() => second.lastId()).toBe(4)
})

test('is interrupted when the server closes and when the session is removed', async () => {
  const first = await open()
  const closed = first.completionOf(1)
  await turn()
  first.closing.abort()
  await expect.poll(() => closed.isInterrupted()).toBe(true)
  const second = await open()
  const removed = second.completionOf(1)
  await turn()
  await second.store.remove('s')
  await expect.poll(() => removed.isInterrupted()).toBe(true)
})
