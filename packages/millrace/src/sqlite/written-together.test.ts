import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryPaths } from '../../test/support/sqlite/temporary-store.ts'
import { isMillraceError } from '../errors/index.ts'
import { createMemoryStore, type Store } from '../store/index.ts'
import { toStore } from './sqlite-store.ts'
import { openParts } from './store-parts.ts'

const nextPath = temporaryPaths()

/** One call of a store, which is the same for each. */
type Call = (store: Store) => Promise<unknown>

/** Finds the call that is to be made in the state that a store is in. */
type Step = (store: Store) => Promise<Call>

const always =
  (call: Call): Step =>
  async () =>
    call

const name = fc.constantFrom('a', 'b', 'c', 'd')
const lines = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 })
const lease = { owner: 'n', ms: 1_000 }

const append = fc
  .tuple(name, lines, fc.constantFrom(0, 0, 0, 0, 1))
  .map(([session, added, off]): Step => async (store) => {
    const { epoch, tail } = (await store.info(session)) ?? { epoch: 0, tail: 0 }
    return (given) => given.append({ session, epoch, tail: tail + off, lines: added })
  })

const step = fc.oneof(
  { weight: 8, arbitrary: append },
  { weight: 3, arbitrary: name.map((session) => always((store) => store.open(session))) },
  name.map((session) => always((store) => store.remove(session))),
  name.map((session) => always((store) => store.renew(session, 1, lease))),
  fc.constantFrom(0, 15, 1_000).map((idleMs) => always((store) => store.prune(idleMs))),
)

const after = fc.constantFrom('nothing', 'nothing', 'list', 'reopen', 'visit')
const rounds = fc.array(
  fc.record({ together: fc.array(step, { maxLength: 8 }), after, cursor: fc.nat(30) }),
  { maxLength: 12 },
)

const settle = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => (isMillraceError(error) ? error.code : String(error)))

/** All that can be asked of a store, as text. */
async function look(store: Store, cursor: number): Promise<string> {
  const found: unknown[] = []
  for (const session of ['a', 'b', 'c', 'd']) {
    const log = [0, cursor].map((id) => store.read(session, id, 20))
    found.push(await settle(store.info(session)), ...(await Promise.all(log.map(settle))))
  }
  return JSON.stringify(found)
}

const list = (store: Store): Promise<unknown> => store.list({ limit: 9, offset: 0 })

test('what is written together, and folded at any time, is what a store in memory has', async () => {
  const numRuns = process.env['MILLRACE_NIGHTLY'] === '1' ? 1_000 : 60
  const sizes = fc.constantFrom(1, 100, 400, 100_000)
  await fc.assert(
    fc.asyncProperty(rounds, sizes, async (taken, maxJournalBytes) => {
      const path = nextPath()
      let clock = 0
      const now = () => clock
      const open = (): Store => toStore(openParts({ path, now, groupMs: 0, maxJournalBytes }))
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
        expect(found).toEqual(expected)
        if (then === 'reopen') {
          await store.close()
          store = open()
        }
        if (then === 'visit') {
          const visitor = open()
          expect(await list(visitor)).toEqual(await list(model))
          await visitor.close()
        }
        expect(await look(store, cursor)).toBe(await look(model, cursor))
        if (then === 'list') expect(await list(store)).toEqual(await list(model))
      }
      expect(await list(store)).toEqual(await list(model))
      await store.close()
    }),
    { numRuns },
  )
}, 300_000)
