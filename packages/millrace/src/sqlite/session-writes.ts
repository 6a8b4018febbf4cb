import {
  type Append,
  type Lease,
  leaseLost,
  type SessionInfo,
  type Store,
  tailDiffers,
} from '../store/index.ts'
import { checkName } from './check-name.ts'
import { numberAt, sumOf, textAt, toBytes } from './columns.ts'
import type { Draft } from './drafts.ts'
import type { GroupCommit } from './group-commit.ts'
import { putRecord } from './record-parts.ts'
import { toInfo } from './session-info.ts'
import type { Transaction } from './transaction.ts'

/** The methods of a store that change a session. */
export type SessionWrites = Pick<
  Store,
  'open' | 'append' | 'renew' | 'putFile' | 'remove' | 'prune'
>

/** So many sessions are removed in one transaction. */
const pruneBlock = 64

/** Builds the methods that write. */
export function createSessionWrites({ write }: GroupCommit): SessionWrites {
  return {
    open: (name, lease, epoch) =>
      write((transaction) => {
        const draft = transaction.drafts.get(name)
        if (epoch !== undefined) compareEpoch(draft ?? { name, epoch: 0 }, epoch)
        return open(transaction, name, lease)
      }),

    append: (append) => write((transaction) => appendTo(transaction, append)),

    renew: (name, epoch, lease) =>
      write((transaction) => {
        const { drafts, statements, now } = transaction
        const draft = drafts.find(name)
        compareEpoch(draft, epoch)
        statements.renewLease.run(draft.number, lease.owner, now() + lease.ms)
      }),

    putFile: (name, { id, mediaType, filename, bytes }) =>
      write(({ drafts, statements }) => {
        const { number } = drafts.find(name)
        const shown = filename === undefined ? null : toBytes(filename)
        statements.putFile.run(number, checkName(id), mediaType, shown, sumOf(bytes), bytes)
      }),

    remove: (name) => write((transaction) => remove(transaction, name)),

    prune: async (idleMs) => {
      let removed = 0
      for (;;) {
        const count = await write((transaction) => pruneSome(transaction, idleMs))
        removed += count
        if (count < pruneBlock) return removed
      }
    },
  }
}

function open(transaction: Transaction, name: string, lease: Lease | undefined): SessionInfo {
  const { drafts, statements, now } = transaction
  const draft = drafts.provide(name)
  draft.epoch += 1
  const until = lease ? now() + lease.ms : null
  statements.setWriter.run(draft.number, draft.epoch, lease?.owner ?? null, until)
  transaction.append(draft, [])
  return toInfo(statements, name, draft, now())
}

/** The fence: both comparisons stand before the first write. [LOG-4] */
function appendTo(transaction: Transaction, append: Append): number {
  const { session, epoch, lines, record, conversation, lease } = append
  const draft = transaction.drafts.find(session)
  compareEpoch(draft, epoch)
  if (append.tail !== draft.tail) throw tailDiffers(session, append.tail, draft.tail)
  transaction.append(draft, lines)
  const { number, tail } = draft
  const { statements } = transaction
  if (record) putRecord(statements, number, { record, tail })
  if (lease) setLease(transaction, draft, lease)
  if (conversation) {
    const json = toBytes(conversation.json)
    statements.putConversation.run(number, conversation.number, sumOf(json), json)
  }
  return tail
}

function compareEpoch(
  { name, epoch: current }: Pick<Draft, 'name' | 'epoch'>,
  epoch: number,
): void {
  if (epoch !== current) throw leaseLost(name, epoch, current)
}

function setLease(
  { statements, now }: Transaction,
  { number }: Draft,
  lease: Lease | 'release',
): void {
  if (lease === 'release') statements.setLease.run(number, null, null)
  else statements.setLease.run(number, lease.owner, now() + lease.ms)
}

function remove(transaction: Transaction, name: string): boolean {
  const draft = transaction.drafts.get(name)
  if (draft) transaction.remove(draft)
  return draft !== undefined
}

function pruneSome(transaction: Transaction, idleMs: number): number {
  const { statements, now } = transaction
  // Until then, rows do not say when sessions were last written to.
  transaction.fold()
  const names: string[] = []
  for (let last = 0; names.length < pruneBlock;) {
    const row = statements.nextIdle.get(last, now() - idleMs)
    if (row === undefined) break
    last = numberAt(row, 0)
    names.push(textAt(row, 1))
  }
  for (const name of names) remove(transaction, name)
  return names.length
}
