import fc from 'fast-check'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { numberedLines } from '../../test/support/sqlite/numbered-lines.ts'
import { expectNumbered } from '../../test/support/sqlite/read-numbered.ts'
import { temporaryPaths } from '../../test/support/sqlite/temporary-store.ts'
import { isMillraceError } from '../errors/index.ts'
import { createSqliteStore } from './index.ts'

const nextPath = temporaryPaths()
const numRuns = process.env['MILLRACE_NIGHTLY'] === '1' ? 1_000 : 30
const sessions = ['a', 'b', 'c']
const lastId = 1_200

interface Files {
  readonly database: Uint8Array
  readonly log: Uint8Array
}

let files: Files

/** A file most of whose messages are in pages, with more in SQLite's own log, some of them in the journal. */
beforeAll(async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, synchronous: 'normal', groupMs: 0 })
  for (const session of sessions) await store.open(session)
  for (let tail = 0; tail < lastId; tail += 20) {
    await Promise.all(
      sessions.map((session) =>
        store.append({
          session,
          epoch: 1,
          tail,
          lines: numberedLines(session, tail, tail + 20, 2_000),
        }),
      ),
    )
  }
  files = { database: readFileSync(path), log: readFileSync(`${path}-wal`) }
  await store.close()
}, 60_000)

/** Opens a damaged copy; gives how far each log could be read, every line of it right. */
async function readCopy({ database, log }: Files): Promise<readonly number[]> {
  const path = nextPath()
  mkdirSync(dirname(path))
  writeFileSync(path, database)
  writeFileSync(`${path}-wal`, log)
  const found: number[] = []
  const store = createSqliteStore({ path, groupMs: 0 })
  try {
    for (const session of sessions) found.push(await readUpTo(store, session))
  } finally {
    await store.close()
    rmSync(dirname(path), { recursive: true })
  }
  return found
}

async function readUpTo(
  store: ReturnType<typeof createSqliteStore>,
  session: string,
): Promise<number> {
  for (let after = 0; ;) {
    const page = await store.read(session, after, 100)
    expectNumbered(session, after, page, 2_000)
    if (page.length === 0) return after
    after += page.length
  }
}

/** A file may say that it is damaged, or that a session is not in it; nothing else. */
async function readOrRefuse(copy: Files): Promise<readonly number[] | string> {
  try {
    return await readCopy(copy)
  } catch (error) {
    if (!isMillraceError(error)) throw error
    expect(
      error.code === 'not_found' || /damaged|no SQLite database/.test(error.message),
      error.message,
    ).toBe(true)
    return error.code
  }
}

const anyCut = fc.double({ min: 0, max: 1, noNaN: true })
const cut = (bytes: Uint8Array, part: number): Uint8Array =>
  bytes.slice(0, Math.floor(bytes.length * part))

describe('a file that is damaged', () => {
  test('is whole as it was copied', async () => {
    expect(files.log.length).toBeGreaterThan(500_000)
    expect(files.database.length).toBeGreaterThan(1_000_000)
    expect(await readCopy(files)).toEqual([lastId, lastId, lastId])
  })

  test('opens if the end of its log is missing, with all that was before', async () => {
    await fc.assert(
      fc.asyncProperty(anyCut, async (part) => {
        const found = await readCopy({ ...files, log: cut(files.log, part) })
        // A commit held 20 messages of each.
        expect(new Set(found).size).toBe(1)
        expect((found[0] ?? NaN) % 20).toBe(0)
      }),
      { numRuns },
    )
  }, 600_000)

  test('opens if a byte of its log is wrong, with all that was before', async () => {
    await fc.assert(
      fc.asyncProperty(anyCut, async (part) => {
        const log = files.log.slice()
        const at = Math.min(log.length - 1, Math.floor(log.length * part))
        log[at] = (log[at] ?? 0) ^ 0x55
        const found = await readCopy({ ...files, log })
        expect(new Set(found).size).toBe(1)
      }),
      { numRuns },
    )
  }, 600_000)

  test('says so if it is cut itself, and gives no line that is wrong', async () => {
    await fc.assert(
      fc.asyncProperty(anyCut, fc.boolean(), async (part, hasLog) => {
        const log = hasLog ? files.log : new Uint8Array()
        await readOrRefuse({ database: cut(files.database, part), log })
      }),
      { numRuns },
    )
  }, 600_000)

  test('says so if all of it is missing, and keeps its log', async () => {
    const path = nextPath()
    mkdirSync(dirname(path))
    writeFileSync(path, '')
    writeFileSync(`${path}-wal`, files.log)
    expect(() => createSqliteStore({ path })).toThrow(/is damaged: .* is empty/)
    expect(readFileSync(`${path}-wal`).length).toBe(files.log.length)
  })

  test('says so if bytes of it are wrong, and gives no line that is wrong', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCut, { minLength: 1, maxLength: 200 }), async (places) => {
        const database = files.database.slice()
        for (const part of places) {
          const at = Math.min(database.length - 1, Math.floor(database.length * part))
          database[at] = (database[at] ?? 0) ^ 0x55
        }
        await readOrRefuse({ ...files, database })
      }),
      { numRuns },
    )
  }, 600_000)
})
