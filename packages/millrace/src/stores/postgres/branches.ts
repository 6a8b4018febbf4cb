import {
  type Branch,
  type BranchPort,
  checkFork,
  checkHead,
  checkOwner,
  compareFork,
  compareLog,
  createLogId,
  type Fork,
  type LogPort,
  MAX_ANCESTORS,
  REMEMBERED_MS,
  type SessionInfo,
  sessionUnknown,
} from '../port/index.ts'
import { lastParts } from './log/encode-group.ts'
import type { PostgresContext } from './create-postgres-context.ts'
import { toInfo } from './sessions.ts'
import { checkName, numberAt, textAt } from './values.ts'

/** Number of columns of a fork before those of the branch. */
const FORK_COLUMNS = 6

/** Creates the branch port, and the trimming of logs that branches share. */
export function createBranches(context: PostgresContext): BranchPort & Pick<LogPort, 'trim'> {
  const { send, names } = context
  return {
    fork: (fork) => createBranch(context, fork),

    branches: async (session, limit, log) => {
      const rows = await send(
        `SELECT l.id, b.session, b.base FROM ${names.logs} l LEFT JOIN LATERAL
         (SELECT session, base FROM ${names.logs} WHERE parent = l.number AND session IS NOT NULL LIMIT $2) b ON true
         WHERE l.session = $1`,
        [checkName(session), Math.max(0, limit)],
      )
      const [fence] = rows
      if (fence !== undefined) compareLog(session, log, textAt(fence, 0) ?? '')
      return rows.flatMap((row): Branch[] => {
        const name = textAt(row, 1)
        return name === undefined ? [] : [{ session: name, frame: numberAt(row, 2) }]
      })
    },

    trim: async (session, before, log) => {
      const values = [checkName(session), log ?? null, Math.min(before, Number.MAX_SAFE_INTEGER)]
      const [row] = await send(`SELECT * FROM ${names.trim}($1, $2, $3)`, values)
      if (row === undefined) throw sessionUnknown(session)
      compareLog(session, log, textAt(row, 0) ?? '')
    },
  }
}

/** Creates a branch, or returns the one that the same fork created before. */
async function createBranch(
  { send, names, tokens }: PostgresContext,
  fork: Fork,
): Promise<SessionInfo> {
  const { from, log, frame, to, head, owner = null, lease } = fork
  checkHead(head)
  checkOwner(owner)
  const parts = lastParts(fork.parts ?? [])
  const values = [
    checkName(from),
    log ?? null,
    Number.isSafeInteger(frame) ? frame : -1,
    checkName(to),
    MAX_ANCESTORS,
    tokens.next(),
    createLogId(),
    REMEMBERED_MS,
    Buffer.from(head),
    parts.map(({ collection }) => checkName(collection)),
    parts.map(({ number }) => number),
    parts.map((part) => part.frame),
    parts.map(({ body }) => Buffer.from(body)),
    owner,
    lease?.owner ?? null,
    lease?.ms ?? null,
  ]
  const places = values.map((_, index) => `$${index + 1}`).join(', ')
  const [row] = await send(`SELECT * FROM ${names.fork}(${places})`, values)
  if (row === undefined) throw sessionUnknown(from)
  const [outcome] = row
  const info = toInfo(to, row.slice(FORK_COLUMNS))
  if (outcome === 'ok') return info
  compareLog(from, log, textAt(row, 1) ?? '')
  const bounds = { tail: numberAt(row, 2), earliest: numberAt(row, 3) }
  if (outcome === 'refused') checkFork(fork, { ...bounds, ancestors: numberAt(row, 4) })
  else compareFork(fork, info.parent, { session: from, log: textAt(row, 5) ?? '', frame })
  return info
}
