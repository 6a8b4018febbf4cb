import { expect, test, vi } from 'vitest'
import { untilAborted } from './until-aborted.ts'

async function read(
  source: AsyncIterable<number>,
  signal: AbortSignal,
  onItem = (_item: number) => {},
) {
  const items: number[] = []
  for await (const item of untilAborted(source, signal, 1)) {
    items.push(item)
    onItem(item)
  }
  return items
}

test('passes a source on completely and closes it', async () => {
  let isClosed = false
  async function* source() {
    try {
      yield 1
      yield 2
    } finally {
      isClosed = true
    }
  }
  expect(await read(source(), new AbortController().signal)).toEqual([1, 2])
  expect(isClosed).toBe(true)
})

test('abandons a source that ignores the signal, also one that never stops emitting', async () => {
  const controller = new AbortController()
  async function* silent() {
    yield 1
    await new Promise(() => {})
  }
  expect(await read(silent(), controller.signal, () => controller.abort())).toEqual([1])
  async function* endless() {
    for (let item = 1; ; item++) {
      await new Promise((resolve) => setTimeout(resolve))
      yield item
    }
  }
  await expect(read(endless(), AbortSignal.abort())).resolves.toBeDefined()
})

test('rethrows errors of the source', async () => {
  async function* broken(): AsyncGenerator<number> {
    yield 1
    throw new Error('broken')
  }
  await expect(read(broken(), new AbortController().signal)).rejects.toThrow('broken')
})

test('closes the source when the reader stops', async () => {
  let isClosed = false
  async function* source() {
    try {
      for (;;) yield 1
    } finally {
      isClosed = true
    }
  }
  const reader = untilAborted(source(), new AbortController().signal, 1)
  await reader.next()
  await reader.return?.()
  expect(isClosed).toBe(true)
})

test('leaves no timer and no abort listener after the source fails', async () => {
  vi.useFakeTimers()
  try {
    const controller = new AbortController()
    async function* broken(): AsyncGenerator<number> {
      yield 1
      throw new Error('broken')
    }
    await expect(read(broken(), controller.signal)).rejects.toThrow('broken')
    controller.abort()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
