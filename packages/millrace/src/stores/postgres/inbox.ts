import {
  checkKey,
  type Command,
  compareLog,
  inboxFull,
  type InboxPort,
  MAX_PENDING,
  type NewCommand,
  sessionUnknown,
  toKeyedPage,
  type UnattendedSession,
} from '../port/index.ts'
import type { PostgresContext } from './create-postgres-context.ts'
import { checkName, numberAt, type Row, textAt } from './values.ts'

/** Creates the inbox port. */
export function createInbox(context: PostgresContext): InboxPort {
  return { ...createWrites(context), ...createReads(context) }
}

function createWrites(context: PostgresContext): Pick<InboxPort, 'submit' | 'settle' | 'claim'> {
  const { send, names, tokens } = context

  const changeOne = async (
    call: string,
    session: string,
    command: NewCommand,
    log?: string,
    ...rest: unknown[]
  ) => {
    checkKey(command.key)
    const values = [
      checkName(session),
      log ?? null,
      toBytes(command.key),
      toBytes(command.body),
      tokens.next(),
      ...rest,
    ]
    const places = values.map((_, index) => `$${index + 1}`).join(', ')
    const [row] = await send(`SELECT * FROM ${call}(${places})`, values)
    if (row === undefined) throw sessionUnknown(session)
    compareLog(session, log, textAt(row, 1) ?? '')
    return row
  }

  return {
    submit: async (session, command, log) => {
      const row = await changeOne(names.submit, session, command, log, MAX_PENDING)
      if (row[0] === 'full') throw inboxFull(session)
      return { command: toCommand(command.key, row.slice(1)), isNew: row[0] === 'new' }
    },

    settle: async (session, command, log) => {
      const row = await changeOne(names.settle, session, command, log)
      return row[0] === 'settled'
    },

    claim: async (session, name, holder, ms) => {
      const values = [checkName(session), toBytes(name), toBytes(holder), ms]
      const [row] = await send(`SELECT * FROM ${names.claim}($1, $2, $3, $4)`, values)
      if (row === undefined) throw sessionUnknown(session)
      return { holder: textAt(row, 0) ?? '', remainingMs: numberAt(row, 1) }
    },
  }
}

function createReads({
  send,
  names,
}: PostgresContext): Pick<InboxPort, 'command' | 'commands' | 'pending' | 'unattended'> {
  /** Finds commands and compares the log id. The statement returns one row without a command if there are none. */
  const find = async (
    session: string,
    log: string | undefined,
    which: string,
    values: unknown[],
  ) => {
    const rows = await send(
      `SELECT l.id, c.seq, c.body, c.pending, c.key FROM ${names.logs} l LEFT JOIN ${names.commands} c
       ON c.log = l.number AND ${which} WHERE l.session = $1 ORDER BY c.seq`,
      [checkName(session), ...values],
    )
    const [fence] = rows
    if (fence !== undefined) compareLog(session, log, textAt(fence, 0) ?? '')
    return rows.filter((row) => row[1] !== null).map((row) => toCommand(textAt(row, 4) ?? '', row))
  }

  return {
    command: async (session, key, log) => {
      const [found] = await find(session, log, 'c.key = $2', [toBytes(key)])
      return found && { ...found, key }
    },

    pending: (session, log) => find(session, log, 'c.pending', []),

    commands: (session, after, limit, log) =>
      find(session, log, 'c.seq > $2 AND c.seq <= $3', [after, after + limit]),

    unattended: async (limit, after = '0') => {
      const rows = await send(
        `SELECT session, id, inbox, pending, number FROM ${names.logs}
         WHERE pending > 0 AND lease_owner IS NULL AND number > $2 ORDER BY number LIMIT $1`,
        [Math.max(0, limit), after],
      )
      const toRow = (row: Row): UnattendedSession => ({
        session: textAt(row, 0) ?? '',
        log: textAt(row, 1) ?? '',
        inbox: numberAt(row, 2),
        pending: numberAt(row, 3),
      })
      return toKeyedPage(rows, limit, { toRow, toKey: (row) => String(row[4]) })
    },
  }
}

/** Encodes text. Keys and bodies are stored as bytes, because texts of Postgres cannot contain NUL. */
function toBytes(text: string): Buffer {
  return Buffer.from(text)
}

function toCommand(key: string, row: Row): Command {
  return {
    seq: numberAt(row, 1),
    key,
    body: textAt(row, 2) ?? '',
    isPending: row[3] === true,
  }
}
