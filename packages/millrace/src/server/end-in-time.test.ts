import { expect, test } from 'vitest'
import { endInTime } from './end-in-time.ts'

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const value of source) found.push(value)
  return found
}

async function* upTo(count: number): AsyncGenerator<number> {
  for (let n = 1; n <= count; n++) yield n
}

test('passes on everything of a source that ends by itself', async () => {
  const { signal } = new AbortController()
  expect(await collect(endInTime(upTo(3), { signal, graceMs: 5 }))).toEqual([1, 2, 3])
})

test('lets a source that heeds the signal say its last word', async () => {
  const controller = new AbortController()
  async function* heeding(): AsyncGenerator<string> {
    yield 'working'
    await new Promise((resolve) => controller.signal.addEventListener('abort', resolve))
    yield 'stopped'
  }
  const events = endInTime(heeding(), { signal: controller.signal, graceMs: 1_000 })
  expect((await events.next()).value).toBe('working')
  const next = events.next()
  controller.abort()
  expect((await next).value).toBe('stopped')
  expect((await events.next()).done).toBe(true)
})

test('leaves a source behind that does not heed the signal', async () => {
  const controller = new AbortController()
  async function* hanging(): AsyncGenerator<number> {
    yield 1
    await new Promise(() => {})
  }
  const events = endInTime(hanging(), { signal: controller.signal, graceMs: 5 })
  await events.next()
  const next = events.next()
  controller.abort()
  await expect(next).rejects.toMatchObject({ code: 'internal' })
})

test('gives up on a source that goes on talking after the signal', async () => {
  const controller = new AbortController()
  async function* endless(): AsyncGenerator<number> {
    for (let n = 0; ; n++) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      yield n
    }
  }
  controller.abort()
  const events = endInTime(endless(), { signal: controller.signal, graceMs: 20 })
  await expect(collect(events)).rejects.toMatchObject({ code: 'internal' })
})
