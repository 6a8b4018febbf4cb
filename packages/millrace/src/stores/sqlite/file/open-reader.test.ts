import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryPaths } from '../../../../test/support/stores/sqlite/temporary-store.ts'
import { isMillraceError, type MillraceError } from '../../../errors/index.ts'
import { openConnection } from './connection.ts'
import { createSqliteStore } from '../index.ts'
import { migrate } from './migrate.ts'
import { migrations } from './schema.ts'

const nextPath = temporaryPaths()

function refusalOf(act: () => unknown): MillraceError {
  try {
    act()
  } catch (error) {
    if (isMillraceError(error)) return error
    throw error
  }
  throw new Error('It was not refused.')
}

/** Runs as a user without special rights. */
function asNobody<T>(act: () => T): T {
  if (process.geteuid?.() !== 0) return act()
  process.seteuid?.(65_534)
  try {
    return act()
  } finally {
    process.seteuid?.(0)
  }
}

describe('the file', () => {
  test('is created with its folder, for its owner only, and so are those next to it', async () => {
    const path = nextPath()
    const store = createSqliteStore({ path })
    await store.open('a')
    const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)
    expect(modeOf(dirname(path))).toBe('700')
    expect([path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual(['600', '600', '600'])
    await store.close()
  })

  test.each([
    ['a folder', (path: string) => mkdirSync(path, { recursive: true }), 'EISDIR'],
    ['below a file', (path: string) => writeFileSync(dirname(path), ''), 'ENOTDIR|EEXIST'],
  ])('that is %s is rejected with the remedy', (_, prepare, code) => {
    const path = nextPath()
    prepare(path)
    const { code: errorCode, message } = refusalOf(() => createSqliteStore({ path }))
    expect(errorCode).toBe('store_unavailable')
    expect(message).toMatch(new RegExp(`${code}\\).*another path|${code}\\).*Name a file`))
    expect(message).toContain(path)
  })

  test('of an older version opens, and each of its logs gets an id', async () => {
    const path = nextPath()
    mkdirSync(dirname(path))
    const connection = openConnection(path, 0)
    migrate(connection, path, migrations.slice(0, 1))
    for (const name of ['a', 'b'])
      connection.exec(`INSERT INTO sessions (name, epoch, tail, earliest, written, written_at)
        VALUES ('${name}', 3, 0, 1, ${name === 'a' ? 1 : 2}, 0)`)
    connection.close()
    const store = createSqliteStore({ path })
    const [a, b] = [await store.info('a'), await store.info('b')]
    expect(a).toMatchObject({ epoch: 3, generation: 1, log: expect.stringMatching(/^\w{12}$/) })
    expect(a?.log).not.toBe(b?.log)
    expect((await store.open('a')).log).toBe(a?.log)
    await store.close()
  })

  test('in a folder of another user is rejected with the remedy', () => {
    const path = nextPath()
    mkdirSync(dirname(path))
    chmodSync(dirname(path), 0o500)
    chmodSync(dirname(dirname(path)), 0o755)
    const { code, message } = refusalOf(() => asNobody(() => createSqliteStore({ path })))
    expect(code).toBe('store_unavailable')
    expect(message).toMatch(/EACCES.*Change the permissions/)
    chmodSync(dirname(path), 0o700)
  })

  test.each([
    ['no database', 'no database at all, but long enough to be one: '.repeat(40)],
    ['the beginning of a database', 'SQLite format 3\0'],
    ['a database without its rest', `SQLite format 3\0${'\x10\x00\x01\x01'.repeat(100)}`],
  ])('that is %s is rejected with the remedy', (_, content) => {
    const path = nextPath()
    mkdirSync(dirname(path))
    writeFileSync(path, content)
    const { code, message } = refusalOf(() => createSqliteStore({ path }))
    expect(code).toBe('store_unavailable')
    expect(message).toMatch(/(not an SQLite database|damaged).*backup or move it away/)
    expect(message).toContain(path)
    expect(statSync(path).size).toBe(content.length)
  })
})

describe('the schema', () => {
  const first = 'CREATE TABLE mills (name TEXT)'
  const second = `ALTER TABLE mills ADD COLUMN wheels INTEGER NOT NULL DEFAULT 1`

  const open = () => {
    const path = nextPath()
    mkdirSync(dirname(path), { recursive: true })
    return { path, connection: openConnection(path, 1_000) }
  }

  test('of an older file is upgraded, with its data', () => {
    const { path, connection } = open()
    migrate(connection, path, [first])
    connection.exec(`INSERT INTO mills VALUES ('Old Mill')`)
    migrate(connection, path, [first, second])
    migrate(connection, path, [first, second])
    expect(connection.prepare('SELECT name, wheels FROM mills').get()).toEqual(['Old Mill', 1])
    expect(connection.prepare('PRAGMA user_version').get()).toEqual([2])
    connection.close()
  })

  test('stays as it was if a step fails', () => {
    const { path, connection } = open()
    migrate(connection, path, [first])
    expect(() => migrate(connection, path, [first, second, 'CREATE TABLE mills (name)'])).toThrow()
    expect(connection.prepare('PRAGMA user_version').get()).toEqual([1])
    expect(connection.prepare('SELECT count(*) FROM pragma_table_info(?)').get('mills')).toEqual([
      1,
    ])
    connection.close()
  })

  test('of a newer file is rejected with the remedy, and the file is unchanged', async () => {
    const path = nextPath()
    await createSqliteStore({ path }).close()
    const connection = openConnection(path, 1_000)
    connection.exec(`PRAGMA user_version = ${migrations.length + 1}`)
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    connection.close()
    const bytes = readFileSync(path)
    const { code, message } = refusalOf(() => createSqliteStore({ path }))
    expect(code).toBe('unsupported')
    expect(message).toContain(`newer version of Millrace (schema ${migrations.length + 1}`)
    expect(message).toContain(path)
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('of another program is unchanged', () => {
    const { path, connection } = open()
    connection.exec('CREATE TABLE recipes (name TEXT)')
    connection.close()
    const { code, message } = refusalOf(() => createSqliteStore({ path }))
    expect(code).toBe('unsupported')
    expect(message).toContain(`${path} is a database of another program`)
  })

  test('is created once when several processes open the same new file', async () => {
    const path = join(dirname(nextPath()), 'deep', 'er', 'store.db')
    const stores = Array.from({ length: 4 }, () => createSqliteStore({ path }))
    for (const store of stores) await store.open('a')
    expect((await stores[0]?.open('a'))?.epoch).toBe(5)
    await Promise.all(stores.map((store) => store.close()))
  })
})
