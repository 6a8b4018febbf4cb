import {
  checkFork,
  checkHead,
  checkOwner,
  compareFork,
  compareLog,
  type Fork,
  type SessionInfo,
  type Store,
} from '../../port/index.ts'
import { checkName, toBytes } from '../file/columns.ts'
import type { Draft } from './drafts.ts'
import type { GroupCommit } from './group-commit.ts'
import { toInfo } from '../reading/session-info.ts'
import { changeParts, putHead } from '../reading/session-parts.ts'
import { sharedLogs, type SharedLog, sumOfFork } from '../log/shared-logs.ts'
import type { Transaction } from './transaction.ts'

/** Creates the store methods that fork sessions and trim logs. */
export function createBranchWrites({ write }: GroupCommit): Pick<Store, 'fork' | 'trim'> {
  return {
    fork: async (fork) => {
      checkHead(fork.head)
      checkOwner(fork.owner)
      return write((transaction) => createBranch(transaction, fork))
    },

    trim: (name, before, log) =>
      write((transaction) => {
        const draft = transaction.drafts.find(name)
        compareLog(name, log, draft.log)
        transaction.trim(draft, before)
      }),
  }
}

/** Creates a branch. All checks precede the first write, as in an append. */
function createBranch(transaction: Transaction, fork: Fork): SessionInfo {
  const { drafts, statements, now } = transaction
  const { from, to, head, owner = null, parts = [], lease } = fork
  const source = drafts.find(from)
  compareLog(from, fork.log, source.log)
  for (const { collection } of parts) checkName(collection)
  const { parent, ancestors } = findParent(transaction, source, fork.frame)
  const known = drafts.get(to)
  if (known !== undefined) {
    compareFork(fork, known.parent, parent)
    return toInfo(statements, to, known, now())
  }
  const { tail, earliest } = source
  checkFork(fork, { tail, earliest, ancestors })
  const branch = drafts.provide(to, owner)
  branch.parent = parent
  branch.epoch = 1
  branch.tail = parent.frame
  branch.earliest = earliest
  const { number } = branch
  const sum = sumOfFork(number, parent)
  statements.setFork.run(
    number,
    sum,
    parent.number,
    parent.frame,
    toBytes(parent.session),
    earliest,
  )
  if (lease !== undefined) statements.setLease.run(number, lease.owner, now() + lease.ms)
  putHead(statements, branch, head)
  changeParts(statements, number, parts)
  transaction.append(branch, [])
  return toInfo(statements, to, branch, now())
}

/** Finds the log that holds a frame. A branch of a branch shares the log of the ancestor that wrote the frame. */
function findParent(
  { findShared }: Transaction,
  source: Draft,
  frame: number,
): { readonly parent: SharedLog; readonly ancestors: number } {
  const { number, log, name: session, tail } = source
  const own = { number, log, session, frame: tail }
  const logs = [own, ...sharedLogs(source.parent, findShared)]
  // The older an ancestor, the lower its last shared frame.
  const owner = logs.findLastIndex((shared) => frame <= shared.frame)
  const place = Math.max(0, owner)
  return { parent: { ...(logs[place] ?? own), frame }, ancestors: logs.length - place }
}
