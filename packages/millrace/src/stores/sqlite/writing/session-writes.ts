import {
  type Append,
  type Appended,
  checkHead,
  checkKey,
  checkOwner,
  inboxDiffers,
  type Lease,
  leaseLost,
  type SeenSession,
  type SessionInfo,
  type Store,
  tailDiffers,
} from '../../port/index.ts'
import { checkName, filePlace, numberAt, sumOf, textAt, toBytes } from '../file/columns.ts'
import type { Draft } from './drafts.ts'
import type { GroupCommit } from './group-commit.ts'
import { putCommand } from './inbox-writes.ts'
import { headAt, toInfo } from '../reading/session-info.ts'
import { changeParts, putHead } from '../reading/session-parts.ts'
import type { Transaction } from './transaction.ts'

type SessionWrites = Pick<Store, 'open' | 'append' | 'renew' | 'putFile' | 'remove' | 'prune'>

/** Number of sessions that one transaction removes. */
const pruneBlock = 64

/** Creates the store methods that change sessions. */
export function createSessionWrites({ write }: GroupCommit): SessionWrites {
  return {
    open: async (name, lease, epoch, owner = null) => {
      checkOwner(owner)
      return write((transaction) => {
        const draft = transaction.drafts.get(name)
        if (epoch !== undefined) compareWriter(draft ?? { name, epoch: 0, log: '' }, { epoch })
        return open(transaction, { name, lease, owner })
      })
    },

    append: async (append) => {
      checkHead(append.head)
      return write((transaction) => appendTo(transaction, append))
    },

    renew: (name, epoch, lease, log) =>
      write((transaction) => {
        const { drafts, statements, now } = transaction
        const draft = drafts.find(name)
        compareWriter(draft, { epoch, log })
        statements.renewLease.run(draft.number, lease.owner, now() + lease.ms)
        return { inbox: draft.inbox }
      }),

    putFile: (name, { id, mediaType, filename, bytes }) =>
      write(({ drafts, statements }) => {
        const { number, tail } = drafts.find(name)
        const shown = filename === undefined ? null : toBytes(filename)
        const sum = sumOf(bytes, filePlace(number, id, mediaType))
        statements.putFile.run(number, checkName(id), mediaType, shown, sum, bytes, tail)
      }),

    remove: (name, seen) => write((transaction) => remove(transaction, name, seen)),

    prune: async (idleMs, isKept = () => false) => {
      let removed = 0
      for (let after = 0; ;) {
        const block = await write((transaction) =>
          pruneSome(transaction, { idleMs, after, isKept }),
        )
        removed += block.removed
        if (block.seen < pruneBlock) return removed
        after = block.last
      }
    },
  }
}

interface Opening {
  readonly name: string
  readonly lease: Lease | undefined
  readonly owner: string | null
}

function open(transaction: Transaction, { name, lease, owner }: Opening): SessionInfo {
  const { drafts, statements, now } = transaction
  const isNew = drafts.get(name) === undefined
  const draft = drafts.provide(name, owner)
  draft.epoch += 1
  const until = lease ? now() + lease.ms : null
  statements.setWriter.run(draft.number, draft.epoch, lease?.owner ?? null, until)
  if (isNew) transaction.append(draft, [])
  return toInfo(statements, name, draft, now())
}

/** Appends to a session. All checks precede the first write, because the others of a group are still committed. [LOG-4] */
function appendTo(transaction: Transaction, append: Append): Appended {
  const { lines, head, parts = [], commands = [], lease, isQuiet } = append
  const draft = transaction.drafts.find(append.session)
  compareFence(draft, append)
  for (const { key } of commands) checkKey(checkName(key))
  for (const { collection } of parts) checkName(collection)
  if (isQuiet !== true || lines.length > 0) transaction.append(draft, lines)
  const { number, tail, inbox } = draft
  const { statements } = transaction
  if (head !== undefined) putHead(statements, draft, head)
  changeParts(statements, number, parts)
  for (const command of commands) putCommand(transaction, draft, command)
  if (lease) setLease(transaction, draft, lease)
  return { tail, inbox }
}

function compareFence(draft: Draft, append: Append): void {
  const { session, tail, inbox = draft.inbox } = append
  compareWriter(draft, append)
  if (tail !== draft.tail) throw tailDiffers(session, tail, draft.tail)
  if (inbox !== draft.inbox) throw inboxDiffers(session, inbox, draft.inbox)
}

function compareWriter(
  { name, epoch: current, log }: Pick<Draft, 'name' | 'epoch' | 'log'>,
  writer: { readonly epoch: number; readonly log?: string | undefined },
): void {
  if (writer.epoch === current && (writer.log ?? log) === log) return
  throw leaseLost(name, writer.epoch, current)
}

function setLease(
  { statements, now }: Transaction,
  { number }: Draft,
  lease: Lease | 'release',
): void {
  if (lease === 'release') statements.setLease.run(number, null, null)
  else statements.setLease.run(number, lease.owner, now() + lease.ms)
}

function remove(transaction: Transaction, name: string, seen?: SeenSession): boolean {
  const draft = transaction.drafts.get(name)
  if (draft === undefined || (seen !== undefined && !isSame(transaction, draft, seen))) return false
  transaction.remove(draft)
  return true
}

/** Whether a session is as a caller has read it, without a lease. */
function isSame({ statements }: Transaction, draft: Draft, seen: SeenSession): boolean {
  const { number, log, epoch, tail, inbox } = draft
  if (log !== seen.log || epoch !== seen.epoch || tail !== seen.tail || inbox !== seen.inbox)
    return false
  return statements.findHead.get(number)?.[0] === null
}

interface PruneBlock {
  readonly idleMs: number
  /** Number of the last session of the block before. */
  readonly after: number
  readonly isKept: (head: string | undefined) => boolean
}

function pruneSome(transaction: Transaction, { idleMs, after, isKept }: PruneBlock) {
  const { statements, now } = transaction
  // Before folding, rows do not have the times of the last writes.
  transaction.fold()
  const names: string[] = []
  let [last, seen] = [after, 0]
  for (; seen < pruneBlock; seen++) {
    const row = statements.nextIdle.get(last, now() - idleMs)
    if (row === undefined) break
    last = numberAt(row, 0)
    if (!isKept(headAt(row, 4, last))) names.push(textAt(row, 1))
  }
  for (const name of names) remove(transaction, name)
  return { seen, last, removed: names.length }
}
