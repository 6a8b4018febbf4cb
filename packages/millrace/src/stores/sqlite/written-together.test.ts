import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  anyExtras,
  anyInboxWrite,
  type Call,
  readBeside,
  readUnattended,
  toAppend,
} from '../../../test/support/stores/sqlite/any-changes.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import { isMillraceError } from '../../errors/index.ts'
import { createMemoryStore } from '../memory/index.ts'
import type { SessionInfo, Store } from '../port/index.ts'
import { toStore } from './sqlite-store.ts'
import { openParts, type StoreParts } from './store-parts.ts'

const nextPath = temporaryPaths()

/** Returns the next call for the state of a store. */
type Step = (store: Store) => Promise<Call>

const always =
  (call: Call): Step =>
  async () =>
    call

const name = fc.constantFrom('a', 'b', 'c', 'd')
const lines = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 })

const append = fc
  .tuple(name, lines, fc.constantFrom(0, 0, 0, 0, 1), anyExtras)
  .map(([session, added, tailOff, extras]): Step => async (store) => {
    const { epoch } = (await store.info(session)) ?? { epoch: 0 }
    const append = await toAppend(store, { session, epoch, tailOff, lines: added }, extras)
    return (given) => given.append(append)
  })

const lease = { owner: 'n', ms: 1_000 }

/** Forks at the tail, or one frame before, which every limit keeps. */
const fork = fc
  .tuple(name, name, fc.constantFrom(0, 0, 1))
  .map(([from, to, before]): Step => async (store) => {
    const { tail } = (await store.info(from)) ?? { tail: 0 }
    const frame = Math.max(0, tail - before)
    return (given) => given.fork({ from, to, frame, head: `at ${frame}` })
  })

const step = fc.oneof(
  { weight: 8, arbitrary: append },
  { weight: 3, arbitrary: name.map((session) => always((store) => store.open(session))) },
  { weight: 4, arbitrary: anyInboxWrite(name).map(always) },
  { weight: 4, arbitrary: fork },
  fc
    .tuple(name, fc.nat(20))
    .map(([session, before]) => always((store) => store.trim(session, before))),
  name.map((session) => always((store) => store.remove(session))),
  name.map((session) => always((store) => store.renew(session, 1, lease))),
  fc.constantFrom(0, 15, 1_000).map((idleMs) => always((store) => store.prune(idleMs))),
)

const after = fc.constantFrom('nothing', 'nothing', 'list', 'fail', 'reopen', 'visit')
const rounds = fc.array(
  fc.record({ together: fc.array(step, { maxLength: 8 }), after, cursor: fc.nat(30) }),
  { maxLength: 12 },
)

const bounds = fc.record({
  maxJournalBytes: fc.constantFrom(1, 100, 400, 100_000),
  kept: fc.constantFrom(1, 9, 1_000_000),
  shared: fc.boolean(),
})

const settle = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => (isMillraceError(error) ? error.code : String(error)))

/** Removes the earliest frame from results, which may differ between stores. */
const toPlain = (received: unknown): unknown => {
  if (typeof received !== 'object' || received === null) return received
  const { parent, ...info } = received as Partial<SessionInfo>
  return { ...info, earliest: 0, log: '', parent: parent && { ...parent, log: '' } }
}

/** Reads all data of a session, from its start and from cursors. */
async function look(store: Store, session: string, cursors: readonly number[]): Promise<unknown> {
  const logs = cursors.map((cursor) => settle(store.read(session, cursor, 20)))
  const beside = await readBeside(store, session)
  return [toPlain(await store.info(session)), beside, JSON.stringify(await Promise.all(logs))]
}

/** Compares two stores, within the frames that the first has kept. */
async function compare(store: Store, model: Store, kept: number, cursor: number): Promise<void> {
  for (const session of ['a', 'b', 'c', 'd']) {
    const { tail = 0, earliest = 1 } = (await store.info(session)) ?? {}
    expect(tail - earliest + 1).toBeLessThan(kept + Math.ceil(kept / 4))
    const cursors = [earliest - 1, Math.max(earliest - 1, cursor)]
    expect(await look(store, session, cursors)).toEqual(await look(model, session, cursors))
  }
  expect(await readUnattended(store)).toEqual(await readUnattended(model))
}

/** Runs a transaction that folds and then fails with a full disk. */
function failToFold({ commits }: Pick<StoreParts, 'commits'>): Promise<unknown> {
  return commits.write((transaction) => {
    transaction.fold()
    throw Object.assign(new Error('full'), { rawCode: 13 })
  })
}

const list = (store: Store): Promise<unknown> => store.list({ limit: 9, offset: 0 })

test('concurrent writes, folded at any time, give the same data as a store in memory', async () => {
  const numRuns = process.env['MILLRACE_NIGHTLY'] === '1' ? 500 : 60
  await fc.assert(
    fc.asyncProperty(rounds, bounds, async (taken, { kept, ...given }) => {
      const path = nextPath()
      let clock = 0
      const now = () => clock
      const options = { ...given, path, now, groupMs: 0, maxMessagesPerSession: kept }
      const open = () => {
        const parts = openParts(options)
        return { ...toStore(parts), commits: parts.commits }
      }
      const model = createMemoryStore({ now })
      let store = open()
      for (const { together, after: then, cursor } of taken) {
        clock += 7
        const calls: Call[] = []
        const expected: unknown[] = []
        for (const find of together) {
          const call = await find(model)
          calls.push(call)
          expected.push(await settle(call(model)))
        }
        const found = await Promise.all(calls.map((call) => settle(call(store))))
        expect(found.map(toPlain)).toEqual(expected.map(toPlain))
        if (then === 'fail') expect(await settle(failToFold(store))).toBe('store_unavailable')
        if (then === 'reopen') {
          await store.close()
          store = open()
        }
        if (then === 'visit') {
          const visitor = open()
          expect(await list(visitor)).toEqual(await list(model))
          await visitor.close()
        }
        await compare(store, model, kept, cursor)
        if (then === 'list') expect(await list(store)).toEqual(await list(model))
      }
      expect(await list(store)).toEqual(await list(model))
      await store.close()
    }),
    { numRuns },
  )
}, 300_000)

test('waiting readers are notified of a removal, also if the session begins again in the same commit', async () => {
  const store = toStore(openParts({ path: nextPath() }))
  await store.open('a')
  const waiting = settle(store.wait('a', 0, new AbortController().signal))
  await store.info('a')
  const together = [store.remove('a'), store.open('a')]
  expect(await Promise.all(together)).toMatchObject([true, { epoch: 1 }])
  await store.close()
  expect(await waiting).toBe('not_found')
})
