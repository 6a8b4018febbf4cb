import {
  type Command,
  compareLog,
  type KeyedPage,
  toKeyedPage,
  type UnattendedSession,
} from '../../port/index.ts'
import { numberAt, textAt } from '../file/columns.ts'
import { commandAt, findCommand } from './find-command.ts'
import { storeDamaged } from '../file/store-errors.ts'
import { lookUp, type ReadSources } from './session-reads.ts'

/** Reads the command with a key. */
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
  const { reader } = sources
  return reader.snapshot(() => {
    const found: Command[] = []
    const session = lookUp(sources, name)
    if (session) compareLog(name, log, session.log)
    for (let last = 0; session;) {
      const row = reader.statements.nextPending.get(session.number, last)
      if (row === undefined) break
      const seq = numberAt(row, 0)
      last = stepTo(seq, last)
      found.push(commandAt(row, 2, { session: session.number, key: textAt(row, 1), seq }))
    }
    return found
  })
}

/** Lists commands with a `seq` above `after` and at most `upTo`. */
export function readCommands(
  sources: ReadSources,
  name: string,
  { after, upTo, log }: CommandRange,
): readonly Command[] {
  const { reader } = sources
  return reader.snapshot(() => {
    const found: Command[] = []
    const session = lookUp(sources, name)
    if (session) compareLog(name, log, session.log)
    for (let last = after; session;) {
      const row = reader.statements.commandAfter.get(session.number, last, upTo)
      if (row === undefined) break
      const seq = numberAt(row, 0)
      last = stepTo(seq, last)
      found.push(commandAt(row, 2, { session: session.number, key: textAt(row, 1), seq }))
    }
    return found
  })
}

interface CommandRange {
  readonly after: number
  readonly upTo: number
  readonly log: string | undefined
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
