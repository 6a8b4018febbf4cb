import {
  checkKey,
  type Claim,
  type CommandChange,
  compareLog,
  inboxFull,
  MAX_PENDING,
  type NewCommand,
  type Store,
  type Submission,
} from '../../port/index.ts'
import { checkName, commandPlace, numberAt, sumOf, textAt, toBytes } from '../file/columns.ts'
import type { Draft } from './drafts.ts'
import type { GroupCommit } from './group-commit.ts'
import { findCommand } from '../reading/inbox-reads.ts'
import type { Transaction } from './transaction.ts'

/** Store methods that change the inbox and claims of a session. They need no epoch. */
type InboxWrites = Pick<Store, 'submit' | 'settle' | 'claim'>

/** Creates the store methods of inboxes and claims. */
export function createInboxWrites({ write }: GroupCommit): InboxWrites {
  return {
    submit: (name, command, log) =>
      write((transaction) => submit(transaction, findDraft(transaction, name, log), command)),

    settle: (name, command, log) =>
      write((transaction) => settle(transaction, findDraft(transaction, name, log), command)),

    claim: (name, claim, holder, ms) =>
      write((transaction) =>
        takeClaim(transaction, transaction.drafts.find(name), {
          name: checkName(claim),
          holder: checkName(holder),
          ms,
        }),
      ),
  }
}

/** Adds or replaces a command, whose key the caller has checked, and returns its place in the inbox. */
export function putCommand(
  { statements }: Transaction,
  { number }: Draft,
  { key, body, isPending }: CommandChange,
): number {
  const bytes = toBytes(body)
  const sum = sumOf(bytes, commandPlace(number, key, isPending))
  const row = statements.putCommand.get(number, key, isPending ? 1 : 0, sum, bytes)
  return numberAt(row ?? [], 0)
}

function findDraft({ drafts }: Transaction, name: string, log: string | undefined): Draft {
  const draft = drafts.find(name)
  compareLog(name, log, draft.log)
  return draft
}

function submit(transaction: Transaction, draft: Draft, { key, body }: NewCommand): Submission {
  const { statements } = transaction
  checkKey(key)
  const known = findCommand(statements, draft.number, checkName(key))
  if (known !== undefined) return { command: known, isNew: false }
  const pending = numberAt(statements.countPending.get(draft.number) ?? [], 0)
  if (pending >= MAX_PENDING) throw inboxFull(draft.name)
  const command = { key, body, isPending: true }
  const seq = putCommand(transaction, draft, command)
  raiseVersion(transaction, draft)
  return { command: { seq, ...command }, isNew: true }
}

function settle(transaction: Transaction, draft: Draft, { key, body }: NewCommand): boolean {
  const known = findCommand(transaction.statements, draft.number, checkName(key))
  if (!known?.isPending) return false
  putCommand(transaction, draft, { key, body, isPending: false })
  raiseVersion(transaction, draft)
  return true
}

function raiseVersion({ statements }: Transaction, draft: Draft): void {
  draft.inbox += 1
  statements.setInbox.run(draft.number, draft.inbox)
}

function takeClaim(
  { statements, now }: Transaction,
  { number }: Draft,
  { name, holder, ms }: { readonly name: string; readonly holder: string; readonly ms: number },
): Claim {
  const at = now()
  statements.dropLapsedClaims.run(number, at)
  const row = statements.findClaim.get(number, name)
  if (row !== undefined && textAt(row, 0) !== holder)
    return { holder: textAt(row, 0), remainingMs: numberAt(row, 1) - at }
  if (ms > 0) statements.putClaim.run(number, name, holder, at + ms)
  else statements.dropClaim.run(number, name)
  return { holder, remainingMs: ms }
}
