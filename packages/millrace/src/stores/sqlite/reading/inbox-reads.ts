import {
  type Command,
  compareLog,
  type KeyedPage,
  toKeyedPage,
  type UnattendedSession,
} from '../../port/index.ts'
import { checkedOldBytesAt, commandPlace, fromBytes, numberAt, textAt } from '../file/columns.ts'
import { storeDamaged } from '../file/store-errors.ts'
import { lookUp, type ReadSources } from './session-reads.ts'
import type { Row, Statement } from '../file/connection.ts'

/** Reads the command of a key. */
export function readCommand(
  sources: ReadSources,
  name: string,
  key: string,
  log: string | undefined,
): Command | undefined {
  const session = lookUp(sources, name)
  if (session === undefined) return undefined
  compareLog(name, log, session.log)
  return findCommand(sources.reader.statements, session.number, key)
}

/** Lists the pending commands of a session, in the order of submission. */
export function readPending(
  sources: ReadSources,
  name: string,
  log: string | undefined,
): readonly Command[] {
  const { nextPending } = sources.reader.statements
  return listCommands(sources, name, log, 0, (session, last) => nextPending.get(session, last))
}

/** Lists commands with a `seq` above `after` and at most `upTo`. */
export function readCommands(
  sources: ReadSources,
  name: string,
  { after, upTo, log }: CommandRange,
): readonly Command[] {
  const { commandAfter } = sources.reader.statements
  const next: NextCommand = (session, last) => commandAfter.get(session, last, upTo)
  return listCommands(sources, name, log, after, next)
}

interface CommandRange {
  readonly after: number
  readonly upTo: number
  readonly log: string | undefined
}

/** Reads the row of the command after a `seq`. */
type NextCommand = (session: number, last: number) => Row | undefined

function listCommands(
  sources: ReadSources,
  name: string,
  log: string | undefined,
  after: number,
  next: NextCommand,
): readonly Command[] {
  return sources.reader.snapshot(() => {
    const found: Command[] = []
    const session = lookUp(sources, name)
    if (session) compareLog(name, log, session.log)
    for (let last = after; session;) {
      const row = next(session.number, last)
      if (row === undefined) break
      const seq = numberAt(row, 0)
      last = stepTo(seq, last)
      found.push(commandAt(row, 2, { session: session.number, key: textAt(row, 1), seq }))
    }
    return found
  })
}

/** Lists sessions with pending commands and without a lease. */
export function readUnattended(
  { reader }: ReadSources,
  limit: number,
  after = '0',
): KeyedPage<UnattendedSession> {
  return reader.snapshot(() => {
    const found: UnattendedSession[] = []
    let last = Number(after)
    while (found.length < limit) {
      const row = reader.statements.nextUnattended.get(last)
      if (row === undefined) break
      last = stepTo(numberAt(row, 0), last)
      const [session, log] = [textAt(row, 1), textAt(row, 2)]
      found.push({ session, log, inbox: numberAt(row, 3), pending: numberAt(row, 4) })
    }
    return toKeyedPage(found, limit, { toRow: (row) => row, toKey: () => String(last) })
  })
}

/** Checks the order: a damaged index may lead back to earlier rows, without end. */
function stepTo(next: number, last: number): number {
  if (next <= last) throw storeDamaged('commands are out of order')
  return next
}

/** Finds the command of a key in a session. */
export function findCommand(
  { findCommand: statement }: { readonly findCommand: Statement },
  session: number,
  key: string,
): Command | undefined {
  const row = statement.get(session, key)
  if (row === undefined) return undefined
  return commandAt(row, 1, { session, key, seq: numberAt(row, 0) })
}

/** Reads a command from the columns that start at `column`: state, checksum, body. */
function commandAt(
  row: Row,
  column: number,
  { session, key, seq }: { readonly session: number; readonly key: string; readonly seq: number },
): Command {
  const isPending = numberAt(row, column) === 1
  const bytes = checkedOldBytesAt(row, column + 2, commandPlace(session, key, isPending))
  return { seq, key, body: fromBytes(bytes), isPending }
}
