import { expect, test } from 'vitest'
import { temporaryPaths } from '../../../../test/support/stores/sqlite/temporary-store.ts'
import { isMillraceError } from '../../../errors/index.ts'
import { createCommitter } from './committer.ts'
import { createGroupCommit } from './group-commit.ts'
import { createLiveSessions } from '../reading/live-sessions.ts'
import { openReader } from '../file/open-reader.ts'
import { openWriter } from '../file/open-writer.ts'
import { createRetention } from '../log/fold-journal.ts'
import { createSessionWrites } from './session-writes.ts'
import type { Transaction } from './transaction.ts'

const nextPath = temporaryPaths()
const bytes = new TextEncoder().encode('line')
const tailOf = ({ tail }: { readonly tail: number }): number => tail
const codeOf = (error: unknown): string => (isMillraceError(error) ? error.code : String(error))

/** Opens the writing part of a store, with a count of its commits. */
function openWriting(groupMs = 0) {
  const path = nextPath()
  const reader = openReader(path, 1_000)
  const committer = createCommitter({
    openWriter: () => openWriter({ path, synchronous: 'full', busyTimeoutMs: 1_000 }),
    identity: { check: () => {} },
    live: createLiveSessions(),
    retention: createRetention(1_000),
    maxJournalBytes: 1_048_576,
    isShared: false,
    now: () => 0,
    onWritten: () => {},
    onRemoved: () => {},
    onForeign: () => {},
  })
  let commits = 0
  let folds = 0
  const commit = async (run: (transaction: Transaction) => void): Promise<void> => {
    commits += 1
    let seen: Transaction | undefined
    await committer.commit((transaction) => run((seen = transaction)))
    if (seen?.folded()) folds += 1
  }
  const group = createGroupCommit({ commit, groupMs })
  const close = async () => {
    await group.close()
    await committer.close()
    reader.close()
  }
  return {
    ...group,
    ...createSessionWrites(group),
    close,
    commits: () => commits,
    folds: () => folds,
  }
}

const names = Array.from({ length: 64 }, (_, n) => `s${n}`)

test('appends of one turn share a commit, and so do those that arrive during another one', async () => {
  const store = openWriting()
  await Promise.all(names.map((session) => store.open(session)))
  expect(store.commits()).toBe(1)
  const appendAll = (tail: number) =>
    names.map((session) => store.append({ session, epoch: 1, tail, lines: [bytes] }))
  const first = appendAll(0)
  // After a turn of the event loop, the first commit has started but not ended.
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  const second = appendAll(1)
  expect(new Set((await Promise.all(first)).map(tailOf))).toEqual(new Set([1]))
  expect(new Set((await Promise.all(second)).map(tailOf))).toEqual(new Set([2]))
  expect(store.commits()).toBe(3)
  await store.close()
})

test('appends to one session may follow each other in one commit', async () => {
  const store = openWriting()
  await store.open('a')
  const appends = [0, 1, 2].map((tail) =>
    store.append({ session: 'a', epoch: 1, tail, lines: [bytes] }),
  )
  expect((await Promise.all(appends)).map(tailOf)).toEqual([1, 2, 3])
  expect(store.commits()).toBe(2)
  await store.close()
})

test('a rejected append fails alone', async () => {
  const store = openWriting()
  await Promise.all(names.map((session) => store.open(session)))
  const outcomes = await Promise.all(
    names.map((session, index) =>
      store
        .append({
          session,
          epoch: index % 3 === 0 ? 7 : 1,
          tail: index % 3 === 1 ? 9 : 0,
          lines: [bytes],
        })
        .then(tailOf, codeOf),
    ),
  )
  const expected = names.map((_, index) => ['lease_lost', 'conflict', 1][index % 3])
  expect(outcomes).toEqual(expected)
  expect(store.commits()).toBe(2)
  await store.close()
})

test('an append that cannot be written fails alone too, and nothing of it is stored', async () => {
  const store = openWriting()
  await Promise.all(names.map((session) => store.open(session)))
  const part = { collection: 'c', number: 1, frame: 0, body: 'x' }
  const broken = { session: 's1', epoch: 1, tail: 0, lines: [bytes] }
  const outcomes = await Promise.all([
    store.append({ session: 's0', epoch: 1, tail: 0, lines: [bytes] }).then(tailOf),
    // Its lines are counted and its first part is stored before the second part turns out not to be text.
    store
      .append({ ...broken, parts: [part, { ...part, body: Symbol('none') as never }] })
      .catch(codeOf),
    store.append({ session: 's2', epoch: 1, tail: 0, lines: [bytes] }).then(tailOf),
  ])
  expect(outcomes).toEqual([1, 'store_unavailable', 1])
  expect((await store.append(broken)).tail).toBe(1)
  await store.close()
})

test('only data of another connection are folded before their time', async () => {
  const store = openWriting()
  await store.open('a')
  // The first commit does not know the previous state.
  expect(store.folds()).toBe(1)
  for (let tail = 0; tail < 50; tail++) {
    await store.append({ session: 'a', epoch: 1, tail, lines: [bytes] })
  }
  expect(store.folds()).toBe(1)
  await store.append({ session: 'a', epoch: 1, tail: 50, lines: [new Uint8Array(1_100_000)] })
  expect(store.folds()).toBe(2)
  await store.close()
})

test('appends within groupMs of a commit share the next one', async () => {
  const store = openWriting(300)
  await store.open('a')
  const opened = names.map(async (session, turns) => {
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
    return store.open(session)
  })
  await Promise.all(opened)
  expect(store.commits()).toBe(2)
  await store.close()
})

test('a closed group accepts nothing more, and accepted appends are written', async () => {
  const store = openWriting()
  const opened = store.open('a')
  const closed = store.close()
  expect(await store.open('b').catch(codeOf)).toBe('internal')
  expect((await opened).epoch).toBe(1)
  await closed
})
