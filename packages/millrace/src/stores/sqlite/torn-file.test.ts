import fc from 'fast-check'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { numberedLines } from '../../../test/support/stores/sqlite/numbered-lines.ts'
import { expectNumbered } from '../../../test/support/stores/sqlite/read-numbered.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { Part, Store } from '../port/index.ts'
import { createSqliteStore } from './index.ts'

const nextPath = temporaryPaths()
const numRuns = process.env['MILLRACE_NIGHTLY'] === '1' ? 1_000 : 30
const sessions = ['a', 'b', 'c']
const lastId = 1_200
/** Number of frames of the first session at which a branch is created. It shares the frames up to the fork point. */
const forkAt = 600
const forkPoint = 590

interface Files {
  readonly database: Uint8Array
  readonly log: Uint8Array
}

let files: Files

/** The only part that an append up to this frame adds; each append replaces number 0. */
function numberedPart(session: string, number: number): Part {
  // Some are larger than a page of SQLite.
  const body = `${session} ${number} `.repeat(number % 120 === 0 ? 900 : 9)
  return { collection: 'c', number, frame: number, body }
}

/** Reads a file into an array whose `slice` copies. That of a Buffer shares its bytes, so damage would accumulate. */
const readBytes = (path: string): Uint8Array => new Uint8Array(readFileSync(path))

/** Creates a file with most frames in pages, and more in SQLite's own log, some of them in the journal. */
beforeAll(async () => {
  const path = nextPath()
  const store = createSqliteStore({ path, synchronous: 'normal', groupMs: 0 })
  for (const session of sessions) await store.open(session)
  for (let tail = 0; tail < lastId; tail += 20) {
    if (tail === forkAt) await store.fork({ from: 'a', frame: forkPoint, to: 'x', head: '' })
    await Promise.all([
      appendToBranch(store, tail - forkAt + forkPoint),
      ...sessions.map((session) =>
        store.append({
          session,
          epoch: 1,
          tail,
          lines: numberedLines(session, tail, tail + 20, 2_000),
          head: `${tail + 20}`,
          parts: [
            numberedPart(session, tail + 20),
            { ...numberedPart(session, 0), frame: tail + 20 },
          ],
        }),
      ),
    ])
  }
  files = { database: readBytes(path), log: readBytes(`${path}-wal`) }
  await store.close()
}, 60_000)

async function appendToBranch(store: Store, tail: number): Promise<void> {
  if (tail < forkPoint) return
  const lines = numberedLines('x', tail, tail + 20, 2_000)
  await store.append({ session: 'x', epoch: 1, tail, lines })
}

/** Readable data of each session: the last frames of its log, its head, its parts and the replaced part. */
interface Found {
  readonly logs: readonly number[]
  readonly parts: readonly (readonly number[])[]
  /** The last frame of the branch, if it exists. */
  readonly branch: number | undefined
}

/** Opens a damaged copy, checks every line and part, and returns the readable range of each session. */
async function readCopy({ database, log }: Files): Promise<Found> {
  const path = nextPath()
  mkdirSync(dirname(path))
  writeFileSync(path, database)
  writeFileSync(`${path}-wal`, log)
  const found: number[] = []
  const parts: number[][] = []
  const store = createSqliteStore({ path, groupMs: 0 })
  let branch: number | undefined
  try {
    for (const session of sessions) {
      found.push(await readUpTo(store, session))
      parts.push(await readParts(store, session))
    }
    branch = await readBranch(store)
  } finally {
    await store.close()
    rmSync(dirname(path), { recursive: true })
  }
  return { logs: found, parts, branch }
}

/** Checks every line and part of the branch, and returns its last frame. */
async function readBranch(store: Store): Promise<number | undefined> {
  if ((await store.info('x')) === undefined) return undefined
  const parts = await store.parts('x', 'c', { after: 0, limit: 1_000 })
  expect(parts.filter((part) => part.frame > forkPoint || !isNumbered('a', part))).toEqual([])
  for (let after = 0; ;) {
    const page = await store.read('x', after, 100)
    const shared = page.filter(({ id }) => id <= forkPoint)
    expectNumbered('a', after, shared, 2_000)
    expectNumbered('x', after + shared.length, page.slice(shared.length), 2_000)
    if (page.length === 0) return after
    after += page.length
  }
}

/** Returns the number of frames stored with the head, with the parts, and with the replaced part. */
async function readParts(store: Store, session: string): Promise<number[]> {
  const [replaced, ...parts] = await store.parts(session, 'c', { after: -1, limit: 1_000 })
  expect(parts.filter((part) => !isNumbered(session, part))).toEqual([])
  if (replaced) expect(replaced).toEqual({ ...numberedPart(session, 0), frame: replaced.frame })
  const { head = '0' } = (await store.info(session)) ?? {}
  return [Number(head), parts.length * 20, replaced?.frame ?? 0]
}

function isNumbered(session: string, part: Part): boolean {
  return JSON.stringify(part) === JSON.stringify(numberedPart(session, part.number))
}

/** All data of a file must be of one commit. Each commit had 20 frames of each session. */
function expectOneMoment({ logs, parts, branch }: Found): void {
  const [tail = NaN] = logs
  expect(tail % 20).toBe(0)
  expect(logs).toEqual(sessions.map(() => tail))
  expect(parts).toEqual(sessions.map(() => [tail, tail, tail]))
  if (branch === undefined) expect(tail).toBeLessThanOrEqual(forkAt)
  else expect(branch).toBe(tail - forkAt + forkPoint)
}

async function readUpTo(store: Store, session: string): Promise<number> {
  for (let after = 0; ;) {
    const page = await store.read(session, after, 100)
    expectNumbered(session, after, page, 2_000)
    if (page.length === 0) return after
    after += page.length
  }
}

/** A file may only report damage or a missing session. */
async function readOrRefuse(copy: Files): Promise<Found | string> {
  try {
    return await readCopy(copy)
  } catch (error) {
    if (!isMillraceError(error)) throw error
    const isReported =
      error.code === 'not_found' || /damaged|not an SQLite database/.test(error.message)
    // Thrown directly, so that the test report names its cause.
    if (!isReported) throw error
    return error.code
  }
}

const anyCut = fc.double({ min: 0, max: 1, noNaN: true })
const cut = (bytes: Uint8Array, part: number): Uint8Array =>
  bytes.slice(0, Math.floor(bytes.length * part))

describe('a file that is damaged', () => {
  test('is complete as copied', async () => {
    expect(files.log.length).toBeGreaterThan(500_000)
    expect(files.database.length).toBeGreaterThan(1_000_000)
    expect((await readCopy(files)).logs).toEqual([lastId, lastId, lastId])
    expectOneMoment(await readCopy(files))
    expect((await readCopy(files)).branch).toBe(lastId - forkAt + forkPoint)
  })

  test('opens without the end of its log, with all data before it', async () => {
    await fc.assert(
      fc.asyncProperty(anyCut, async (part) => {
        expectOneMoment(await readCopy({ ...files, log: cut(files.log, part) }))
      }),
      { numRuns },
    )
  }, 600_000)

  test('opens with a wrong byte in its log, with all data before it', async () => {
    await fc.assert(
      fc.asyncProperty(anyCut, async (part) => {
        const log = files.log.slice()
        const at = Math.min(log.length - 1, Math.floor(log.length * part))
        log[at] = (log[at] ?? 0) ^ 0x55
        expectOneMoment(await readCopy({ ...files, log }))
      }),
      { numRuns },
    )
  }, 600_000)

  test('reports its own truncation, and returns no wrong line or part', async () => {
    await fc.assert(
      fc.asyncProperty(anyCut, fc.boolean(), async (part, hasLog) => {
        const log = hasLog ? files.log : new Uint8Array()
        await readOrRefuse({ database: cut(files.database, part), log })
      }),
      { numRuns },
    )
  }, 600_000)

  test('reports that all of it is missing, and keeps its log', async () => {
    const path = nextPath()
    mkdirSync(dirname(path))
    writeFileSync(path, '')
    writeFileSync(`${path}-wal`, files.log)
    expect(() => createSqliteStore({ path })).toThrow(/is damaged: .* is empty/)
    expect(readFileSync(`${path}-wal`).length).toBe(files.log.length)
  })

  test('reports wrong bytes, and returns no wrong line or part', async () => {
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

  test('reports wrong bytes of its schema, and returns no wrong line', async () => {
    // The schema is in the first page, after the header; the log contains that page too.
    const anyPlace = fc.integer({ min: 100, max: 4_095 })
    const anyDamage = fc.tuple(anyPlace, fc.integer({ min: 1, max: 255 }))
    await fc.assert(
      fc.asyncProperty(fc.array(anyDamage, { minLength: 1 }), async (damages) => {
        const database = files.database.slice()
        for (const [at, bits] of damages) database[at] = (database[at] ?? 0) ^ bits
        await readOrRefuse({ database, log: new Uint8Array() })
      }),
      { numRuns },
    )
  }, 600_000)
})
