import { expect, test } from 'vitest'
import { drainWithDeadline } from './run.ts'

async function* upTo(count: number): AsyncGenerator<number> {
  for (let n = 1; n <= count; n++) yield n
}

async function* talkOn(): AsyncGenerator<number> {
  for (let n = 1; ; n++) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    yield n
  }
}

/** Accepts and keeps everything. */
function createTaker<T>() {
  const taken: T[] = []
  const take = (value: T): boolean => taken.push(value) > 0
  return { taken, take }
}

test('reads everything of a source that ends by itself', async () => {
  const { signal } = new AbortController()
  const { taken, take } = createTaker<number>()
  await drainWithDeadline(upTo(3), take, { signal, graceMs: 5 })
  expect(taken).toEqual([1, 2, 3])
})

test('makes the source wait for the consumer, and ends it when the consumer is done', async () => {
  const { signal } = new AbortController()
  const received: string[] = []
  async function* counting(): AsyncGenerator<number> {
    try {
      for (let n = 1; ; n++) {
        received.push(`made ${n}`)
        yield n
      }
    } finally {
      received.push('ended')
    }
  }
  const take = async (n: number): Promise<boolean> => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    received.push(`took ${n}`)
    return n < 2
  }
  await drainWithDeadline(counting(), take, { signal, graceMs: 5 })
  expect(received).toEqual(['made 1', 'took 1', 'made 2', 'took 2', 'ended'])
})

test('throws errors of the source and of the consumer', async () => {
  const options = { signal: new AbortController().signal, graceMs: 5 }
  const fail = (): never => {
    throw new Error('full')
  }
  await expect(drainWithDeadline(upTo(3), fail, options)).rejects.toThrow('full')
  async function* failing(): AsyncGenerator<number> {
    yield 1
    throw new Error('broken')
  }
  await expect(drainWithDeadline(failing(), () => true, options)).rejects.toThrow('broken')
})

test('returns the last events of a source that obeys the signal', async () => {
  const controller = new AbortController()
  async function* heeding(): AsyncGenerator<string> {
    yield 'working'
    await new Promise((resolve) => controller.signal.addEventListener('abort', resolve))
    yield 'stopped'
  }
  const { taken, take } = createTaker<string>()
  const over = drainWithDeadline(heeding(), take, { signal: controller.signal, graceMs: 1_000 })
  await new Promise(setImmediate)
  expect(taken).toEqual(['working'])
  controller.abort()
  await over
  expect(taken).toEqual(['working', 'stopped'])
})

test('abandons a source that ignores the signal, and reads nothing of it later', async () => {
  const controller = new AbortController()
  let resume = (): void => {}
  async function* hanging(): AsyncGenerator<number> {
    yield 1
    await new Promise<void>((resolve) => (resume = resolve))
    yield 2
  }
  const { taken, take } = createTaker<number>()
  const over = drainWithDeadline(hanging(), take, { signal: controller.signal, graceMs: 5 })
  controller.abort()
  await expect(over).rejects.toMatchObject({ code: 'internal' })
  resume()
  await new Promise(setImmediate)
  expect(taken).toEqual([1])
})

test('abandons a source that continues emitting after the signal', async () => {
  const { signal } = aborted()
  await expect(
    drainWithDeadline(talkOn(), () => true, { signal, graceMs: 20 }),
  ).rejects.toMatchObject({
    code: 'internal',
  })
})

test('does not interrupt the consumer when the time is over', async () => {
  const { signal } = aborted()
  let release = (): void => {}
  const taking = new Promise<boolean>((resolve) => (release = () => resolve(true)))
  let isOver = false
  const over = drainWithDeadline(upTo(3), () => taking, { signal, graceMs: 1 }).finally(() => {
    isOver = true
  })
  const failed = over.catch((error: unknown) => error)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(isOver).toBe(false)
  release()
  expect(await failed).toMatchObject({ code: 'internal' })
})

function aborted(): AbortController {
  const controller = new AbortController()
  controller.abort()
  return controller
}
