import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  copyStore010,
  type ListedSession,
  listStore010,
} from '../../../test/support/stores/sqlite/store-010.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import type { Store } from '../port/index.ts'
import { textAt } from './file/columns.ts'
import { openConnection } from './file/connection.ts'
import { createSqliteStore } from './index.ts'
import { migrate } from './file/migrate.ts'
import { migrations } from './file/schema.ts'

const nextPath = temporaryPaths()
const everything = { after: -1, limit: 1_000 }

/** Copies a store of version 0.1.0, or of the version after it. */
function copyStore(version: number): string {
  const path = nextPath()
  copyStore010(path)
  if (version === 1) return path
  const connection = openConnection(path, 0)
  migrate(connection, path, migrations.slice(0, version))
  connection.close()
  rmSync(`${path}.v1.bak`)
  return path
}

/** Describes a session with the fields of version 0.1.0. */
async function describeSession(store: Store, session: string): Promise<unknown> {
  const info = await store.info(session)
  const [record] = await store.parts(session, 'record', everything)
  const conversations = await store.parts(session, 'conversations', { before: Infinity, limit: 99 })
  const ids = await store.fileIds(session)
  const files = await Promise.all(
    ids.map(async (id) => {
      const { bytes = new Uint8Array(), ...file } = (await store.file(session, id)) ?? {}
      return { ...file, base64: Buffer.from(bytes).toString('base64') }
    }),
  )
  const log = (await store.read(session, 0, 1_000)).map(({ line }) => Buffer.from(line).toString())
  const { epoch, tail, earliest, lease, head } = info ?? {}
  return {
    session,
    epoch,
    tail,
    earliest,
    files,
    log,
    ...(lease && { lease: { owner: lease.owner } }),
    ...(record && { record: { json: record.body, summary: head, tail: record.frame } }),
    conversations: conversations.map(({ number, body }) => ({ number, json: body })),
  }
}

const listed = listStore010()
const expected = listed.map(({ kind: _, ...session }) => session)

async function expectAll(store: Store): Promise<void> {
  const { rows } = await store.list({ limit: 100, offset: 0 })
  expect(rows.map(({ session }) => session)).toEqual(listed.map(({ session }) => session))
  for (const { session, record, tail } of listed)
    expect(rows).toContainEqual({ session, tail, head: record?.summary, owner: null })
  const found = []
  for (const { session } of listed) found.push(await describeSession(store, session))
  expect(found).toEqual(expected)
}

/** Returns all rows of a file except the schema's own. */
function dump(path: string): string {
  const connection = openConnection(path, 0)
  const tables: string[] = []
  const next = connection.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name > ?1 ORDER BY name LIMIT 1",
  )
  for (let name = ''; ;) {
    const row = next.get(name)
    if (row === undefined) break
    name = String(row[0])
    const columns = connection
      .prepare("SELECT group_concat('quote(' || name || ')', '||') FROM pragma_table_info(?1)")
      .get(name)
    const all = connection
      .prepare(
        `SELECT group_concat(line, char(10)) FROM (SELECT ${textAt(columns ?? [], 0)} line FROM ${name} ORDER BY 1)`,
      )
      .get()
    tables.push(`${name} ${String(all?.[0])}`)
  }
  connection.close()
  return tables.join('\n')
}

const kindOf = (kind: string): ListedSession => {
  const found = listed.find((session) => session.kind === kind)
  if (found === undefined) throw new Error(`The fixture has no session ${kind}.`)
  return found
}

describe.each([1, 2, 3, 4])('a file of version %s', (version) => {
  test('opens with all its data, and is unchanged when it is opened again', async () => {
    const path = copyStore(version)
    for (let round = 0; round < 2; round++) {
      const store = createSqliteStore({ path, groupMs: 0 })
      await expectAll(store)
      await store.close()
    }
  })

  test('is kept next to the new one, for its owner only', async () => {
    const path = copyStore(version)
    const before = dump(path)
    await createSqliteStore({ path }).close()
    const backup = `${path}.v${version}.bak`
    expect(dump(backup)).toBe(before)
    expect((statSync(backup).mode & 0o777).toString(8)).toBe('600')
    const kept = readFileSync(backup)
    const store = createSqliteStore({ path })
    await store.remove(kindOf('long').session)
    await store.close()
    await createSqliteStore({ path }).close()
    expect(readFileSync(backup).equals(kept)).toBe(true)
    expect(existsSync(`${backup}.partial`)).toBe(false)
  })
})

test('a session of an older file continues, and its data can be replaced', async () => {
  const path = copyStore(1)
  const { session, tail, epoch } = kindOf('finished')
  const store = createSqliteStore({ path })
  const opened = await store.open(session, undefined, epoch)
  expect(opened).toMatchObject({ tail, inbox: 0, pending: 0, generation: 1 })
  expect(opened.log).toMatch(/^\w{12}$/)
  const parts = [
    { collection: 'record', number: 1, body: null },
    { collection: 'runs', number: 1, frame: tail + 1, body: 'new' },
  ]
  const lines = [Uint8Array.of(1)]
  const given = { session, epoch: epoch + 1, tail, lines, head: '{}', parts }
  expect((await store.append(given)).tail).toBe(tail + 1)
  expect(await store.parts(session, 'record', everything)).toEqual([])
  expect((await store.parts(session, 'conversations', everything)).length).toBe(3)
  await store.close()
})

test('sessions of an older file can be forked where they end, with their files', async () => {
  const path = copyStore(1)
  const store = createSqliteStore({ path })
  for (const { session, tail, log, files } of listed) {
    await store.fork({ from: session, frame: tail, to: `${session} branch`, head: '{}' })
    await store.remove(session)
    const frames = await store.read(`${session} branch`, 0, 1_000)
    expect(frames.map(({ line }) => Buffer.from(line).toString())).toEqual(log)
    const ids = files.map(({ id }) => id)
    expect([...(await store.fileIds(`${session} branch`))].sort()).toEqual(ids.sort())
  }
  await store.close()
})

test('several processes that open an older file at once all have its data', async () => {
  const path = copyStore(1)
  const stores = Array.from({ length: 3 }, () => createSqliteStore({ path, shared: true }))
  for (const store of stores) await expectAll(store)
  await Promise.all(stores.map((store) => store.close()))
})

test('an earlier copy is replaced by that of the current file, also if it was truncated', async () => {
  const path = copyStore(1)
  const before = dump(path)
  writeFileSync(`${path}.v1.bak`, 'an older copy')
  writeFileSync(`${path}.v1.bak.partial`, 'half of a copy')
  await createSqliteStore({ path }).close()
  expect(dump(`${path}.v1.bak`)).toBe(before)
})

test('a file that is too large to be copied by default is rejected with the remedy, and is unchanged', async () => {
  const path = copyStore(1)
  const before = dump(path)
  const connection = openConnection(path, 0)
  const convert = () => migrate(connection, path, migrations, 1_000)
  expect(convert).toThrow(/\d+ bytes.*Nothing was changed.*VACUUM INTO.*store\.db\.v1\.bak/)
  expect(dump(path)).toBe(before)
  expect(existsSync(`${path}.v1.bak`)).toBe(false)
  writeFileSync(`${path}.v1.bak`, '')
  convert()
  connection.close()
  expect(statSync(`${path}.v1.bak`).size).toBe(0)
  const store = createSqliteStore({ path })
  await expectAll(store)
  await store.close()
})

test('a file that cannot be copied is not converted', () => {
  const path = copyStore(1)
  const before = dump(path)
  mkdirSync(`${path}.v1.bak`)
  expect(() => createSqliteStore({ path })).toThrow(path)
  expect(dump(path)).toBe(before)
  expect(existsSync(`${path}.v1.bak.partial`)).toBe(false)
})

test('a failed conversion leaves the file unchanged', () => {
  const path = copyStore(1)
  const before = dump(path)
  const connection = openConnection(path, 0)
  const failing = [...migrations.slice(0, 2), 'CREATE TABLE sessions (name)']
  expect(() => migrate(connection, path, failing)).toThrow(/sessions/)
  connection.close()
  expect(dump(path)).toBe(before)
  expect(dump(`${path}.v1.bak`)).toBe(before)
})

test('earlier damage is reported when it is read, and does not affect other sessions', async () => {
  const { session } = kindOf('long')
  const number = `(SELECT number FROM sessions WHERE name = '${session}')`
  const recordPart = `WHERE key = ((${number} << 32) | 2)`
  const ways: [string, (store: Store) => Promise<unknown>][] = [
    [`UPDATE record_parts SET body = CAST('x' AS BLOB) ${recordPart}`, readRecord],
    [`UPDATE record_parts SET sum = sum + 1 ${recordPart}`, readRecord],
    [`DELETE FROM record_parts ${recordPart}`, readRecord],
    [`UPDATE conversations SET sum = sum + 1 WHERE session = ${number}`, readConversations],
    [`UPDATE records SET sum = sum + 1 WHERE session = ${number}`, (store) => store.info(session)],
  ]
  for (const [harm, read] of ways) {
    const path = copyStore(1)
    const connection = openConnection(path, 0)
    connection.exec(harm)
    connection.close()
    const store = createSqliteStore({ path })
    const error: unknown = await read(store).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'store_unavailable' })
    for (const one of expected.filter((other) => other.session !== session))
      expect(await describeSession(store, one.session)).toEqual(one)
    await store.close()
  }
  function readRecord(store: Store): Promise<unknown> {
    return store.parts(session, 'record', everything)
  }
  function readConversations(store: Store): Promise<unknown> {
    return store.parts(session, 'conversations', everything)
  }
})
