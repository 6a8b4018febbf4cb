import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from './open-store.ts'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-store-'))
})

afterAll(() => rm(folder, { recursive: true }))

describe('opening a store by its address', () => {
  test('in memory keeps nothing after a close', async () => {
    const store = await openStore('memory:')
    expect(store.isDurable).toBe(false)
    await store.close()
  })

  test('creates a file with its folder, and finds the stored sessions when it is opened again', async () => {
    const path = join(folder, 'deep', 'er', 'mill.db')
    const first = await openStore(`sqlite:${path}`)
    expect(first.isDurable).toBe(true)
    await first.open('11111111-1111-4111-8111-111111111111')
    await first.close()
    expect((await stat(path)).isFile()).toBe(true)
    const second = await openStore(`sqlite:${path}`)
    expect(await second.info('11111111-1111-4111-8111-111111111111')).toMatchObject({ epoch: 1 })
    await second.close()
  })

  test('has a file for itself unless it is shared', async () => {
    const address = `sqlite:${join(folder, 'own.db')}`
    const first = await openStore(address)
    await expect(openStore(address)).rejects.toMatchObject({ code: 'conflict' })
    await expect(openStore(address)).rejects.toThrow('Another server uses')
    const beside = [
      await openStore(`${address}?shared=1`),
      await openStore(address, { shared: true }),
      await openStore(address, { exclusive: false }),
    ]
    await Promise.all([first, ...beside].map((store) => store.close()))
    await (await openStore(address)).close()
  })

  test('names a Redis that does not answer, without the password', async () => {
    const opening = openStore('redis://me:PASSWORD@127.0.0.1:1', { commandTimeoutMs: 100 })
    await expect(opening).rejects.toThrow('The store in Redis at 127.0.0.1:1 cannot be used.')
    await expect(opening).rejects.toThrow('does not answer or refuses commands')
    await expect(opening).rejects.not.toThrow('PASSWORD')
  })

  test('names a Postgres that does not answer, without the password', async () => {
    const opening = openStore('postgres://me:PASSWORD@127.0.0.1:1/db', { commandTimeoutMs: 100 })
    await expect(opening).rejects.toThrow('The store in Postgres at 127.0.0.1:1/db cannot be used.')
    await expect(opening).rejects.toThrow(
      'No server accepts connections at the address of Postgres',
    )
    await expect(opening).rejects.not.toThrow('PASSWORD')
  })

  test('names a file that is not a store, with the reason of the store', async () => {
    const path = join(folder, 'letter.db')
    await writeFile(path, 'Dear miller, '.repeat(1000))
    const opening = openStore(`sqlite:${path}`)
    await expect(opening).rejects.toThrow(path)
    await expect(opening).rejects.toThrow('not an SQLite database')
    await expect(opening).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  test('rejects any other address', async () => {
    await expect(openStore('mill.db')).rejects.toThrow('Write the path of a file as sqlite:mill.db')
  })
})
