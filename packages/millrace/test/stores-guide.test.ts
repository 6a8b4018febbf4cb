import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { createMemoryStore } from '../src/stores/memory/index.ts'
import type { Store } from '../src/stores/port/index.ts'
import { testStore } from '../src/testing/test-store.ts'

const example = fileURLToPath(
  new URL('../../../examples/file-store/file-store.ts', import.meta.url),
)
const { createFileStore } = (await import(example)) as { createFileStore(path: string): Store }
const guide = readFileSync(new URL('../../../docs/stores.md', import.meta.url), 'utf8')

const folders: string[] = []
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-file-store-'))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('the store of the guide fulfils the contract', () => {
  testStore({ test, expect }, () => createFileStore(makeFolder()))
})

test('the store of the guide finds everything again after it was closed', async () => {
  const folder = makeFolder()
  const before = createFileStore(folder)
  await before.open('gone')
  await before.remove('gone')
  await before.open('a', { owner: 'n1', ms: 60_000 })
  const part = { collection: 'runs', number: 1, frame: 1, body: 'run' }
  const lines = [Uint8Array.of(1, 2, 255)]
  await before.append({ session: 'a', epoch: 1, tail: 0, lines, head: 'head', parts: [part] })
  await before.submit('a', { key: 'k', body: 'b' })
  await before.putFile('a', { id: 'f', mediaType: 'text/plain', bytes: Uint8Array.of(7) })
  const info = await before.info('a')
  await before.close()

  const after = createFileStore(folder)
  expect(await after.info('a')).toEqual(info)
  expect(Array.from((await after.read('a', 0, 10))[0]?.line ?? [])).toEqual([1, 2, 255])
  expect(await after.parts('a', 'runs', { after: 0, limit: 10 })).toEqual([part])
  expect((await after.pending('a')).map(({ key }) => key)).toEqual(['k'])
  expect(Array.from((await after.file('a', 'f'))?.bytes ?? [])).toEqual([7])
  expect((await after.open('gone')).generation).toBe(2)
  await after.close()
})

test('the store of the guide keeps branches of removed sessions through a restart, and nothing after them', async () => {
  const folder = makeFolder()
  const before = createFileStore(folder)
  await before.open('p')
  const lines = [1, 2, 3].map((byte) => Uint8Array.of(byte))
  await before.append({ session: 'p', epoch: 1, tail: 0, lines })
  await before.fork({ from: 'p', frame: 2, to: 'x', head: 'x' })
  await before.append({ session: 'x', epoch: 1, tail: 2, lines: [Uint8Array.of(9)] })
  await before.fork({ from: 'x', frame: 3, to: 'y', head: 'y' })
  await before.remove('p')
  await before.remove('x')
  await before.open('p')
  await before.close()

  const after = createFileStore(folder)
  const read = await after.read('y', 0, 10)
  expect(read.map(({ id, line }) => [id, ...line])).toEqual([
    [1, 1],
    [2, 2],
    [3, 9],
  ])
  await after.remove('y')
  await after.close()
  const last = createFileStore(folder)
  expect((await last.list({ limit: 10, offset: 0 })).rows.map(({ session }) => session)).toEqual([
    'p',
  ])
  // The rows of p, and the generations of x and y.
  expect(readdirSync(folder)).toHaveLength(3)
  expect((await last.open('x')).generation).toBe(2)
  await last.close()
})

test('the store of the guide stores nothing if its folder is missing, and reports it', async () => {
  const folder = makeFolder()
  const store = createFileStore(folder)
  await store.open('a')
  rmSync(folder, { recursive: true })
  const append = { session: 'a', epoch: 1, tail: 0, lines: [Uint8Array.of(1)] }
  await expect(store.append(append)).rejects.toMatchObject({ code: 'store_unavailable' })
  await expect(store.ping()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect((await store.info('a'))?.tail).toBe(0)
  await store.close()
})

describe('the tests of each port need only the methods that the guide names', () => {
  const [, section = ''] = /^## The contract tests\n(.*)/ms.exec(guide) ?? []
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)]
  const needs = new Map(rows.map(([, port, methods = '']) => [port, methods]))
  let needed = ''
  const runner = (name: string, check: () => Promise<void>) =>
    test(name, () => {
      needed = `${needs.get(name.split(':')[0])}, \`close\``
      return check()
    })
  testStore({ test: runner, expect }, () => {
    const store = createMemoryStore()
    if (needed.startsWith('all')) return store
    const named = Object.entries(store).filter(([name]) => needed.includes(`\`${name}\``))
    return Object.fromEntries(named) as unknown as Store
  })
})

test('the guide describes every method of a store', () => {
  const described = [...guide.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name)
  const { isDurable: _, ...methods } = createMemoryStore()
  expect(described).toHaveLength(Object.keys(methods).length)
  expect(new Set(described)).toEqual(new Set(Object.keys(methods)))
})
