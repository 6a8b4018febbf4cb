import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MillraceError } from '../../errors/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Append, Appended, Store } from '../../stores/port/index.ts'
import { LogWriter } from './log-writer.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A store whose appends end when they are released. */
function createSlowStore(store: Store) {
  const appends: Append[] = []
  const gates: (() => void)[] = []
  const append = async (one: Append): Promise<Appended> => {
    appends.push(one)
    await new Promise<void>((resolve) => gates.push(resolve))
    return store.append(one)
  }
  return { appends, release: () => gates.shift()?.(), store: { ...store, append } }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

const headOf = (head: string) => () => ({ head })

async function readLog(store: Store): Promise<string[]> {
  const entries = await store.read('s', 0, 10_000)
  return entries.map(({ line }) => decoder.decode(line))
}

describe('a log writer', () => {
  test('stores every line once and in order, for any grouping of pushes', async () => {
    const pushes = fc.array(fc.array(fc.string(), { maxLength: 5 }), { maxLength: 50 })
    await fc.assert(
      fc.asyncProperty(pushes, fc.nat(64), async (groups, maxQueuedBytes) => {
        const store = createMemoryStore()
        const { epoch, tail } = await store.open('s')
        const log = new LogWriter({ store, session: 's', epoch, tail, maxQueuedBytes })
        for (const group of groups) await log.push(group.map((line) => encoder.encode(line)))
        await log.flush()
        const expected = groups.flat().map((line) => decoder.decode(encoder.encode(line)))
        expect(await readLog(store)).toEqual(expected)
        expect(log.lastId()).toBe(expected.length)
      }),
      { numRuns: 100 },
    )
  })

  test('puts lines that arrive during an append into the next one, with the newest head', async () => {
    const memory = createMemoryStore()
    const slow = createSlowStore(memory)
    const { epoch, tail } = await memory.open('s')
    const log = new LogWriter({ store: slow.store, session: 's', epoch, tail })
    await log.push([encoder.encode('1')])
    for (let n = 2; n <= 9; n++) await log.push([encoder.encode(`${n}`)], headOf(`head ${n}`))
    expect(slow.appends.map(({ lines }) => lines.length)).toEqual([1])
    slow.release()
    await turn()
    expect(slow.appends.map(({ lines }) => lines.length)).toEqual([1, 8])
    expect(slow.appends[1]?.head).toBe('head 9')
    slow.release()
    await log.flush()
    expect(await readLog(memory)).toHaveLength(9)
  })

  test('makes the producer wait while too much is queued', async () => {
    const memory = createMemoryStore()
    const slow = createSlowStore(memory)
    const { epoch, tail } = await memory.open('s')
    const log = new LogWriter({ store: slow.store, session: 's', epoch, tail, maxQueuedBytes: 4 })
    await log.push([encoder.encode('one')])
    await log.push([encoder.encode('two')])
    let isReady = false
    const third = log.push([encoder.encode('three')])?.then(() => (isReady = true))
    await turn()
    expect(isReady).toBe(false)
    slow.release()
    await turn()
    slow.release()
    await third
    expect(isReady).toBe(true)
  })

  test('stores nothing after a failed append, and reports it', async () => {
    const store = createMemoryStore()
    const { epoch, tail } = await store.open('s')
    const log = new LogWriter({ store, session: 's', epoch, tail })
    await store.open('s')
    await log.push([encoder.encode('zombie')])
    await expect(log.flush()).rejects.toMatchObject({ code: 'lease_lost' })
    expect(() => log.push([encoder.encode('again')])).toThrow(MillraceError)
    expect(await readLog(store)).toEqual([])
  })

  test('continues to work after an empty push', async () => {
    const store = createMemoryStore()
    const { epoch, tail } = await store.open('s')
    const log = new LogWriter({ store, session: 's', epoch, tail })
    await log.push([])
    await log.push([encoder.encode('one')])
    await log.flush()
    expect(await readLog(store)).toEqual(['one'])
  })
})
