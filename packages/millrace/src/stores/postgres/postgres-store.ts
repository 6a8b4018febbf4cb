import { checkOptions, type OptionType } from '../../errors/index.ts'
import { type Store, withTimeLimit } from '../port/index.ts'
import {
  listLeases,
  listSessions,
  lookAtSession,
  openSession,
  pruneSessions,
  removeSession,
  renewLease,
} from './sessions.ts'
import { createBranches } from './branches.ts'
import { createPostgresContext } from './create-postgres-context.ts'
import { createFiles } from './log/files.ts'
import { createInbox } from './inbox.ts'
import type {
  PostgresAddress,
  PostgresLimits,
  PostgresStoreOptions,
} from './postgres-store-options.ts'
import { readLog, readParts } from './log/read-log.ts'

const types: Readonly<Record<keyof PostgresAddress | keyof PostgresLimits, OptionType>> = {
  url: 'string',
  connection: 'object',
  schema: 'string',
  createTables: 'boolean',
  prefix: 'string',
  listen: 'boolean',
  listenUrl: 'string',
  pollMs: 'number',
  maxConnections: 'number',
  maxMessagesPerSession: 'number',
  maxFileBytes: 'number',
  commandTimeoutMs: 'number',
  onError: 'function',
  onRestored: 'function',
}

/** Creates a store in Postgres for many processes. They wake each other, and each can continue the runs of a lost one. */
export function createPostgresStore(options: PostgresStoreOptions): Store {
  checkOptions(
    'createPostgresStore',
    options as Partial<Record<keyof typeof types, unknown>>,
    types,
  )
  const { maxFileBytes = 33_554_432 } = options
  const { context, appender, identity, failure, ready, close } = createPostgresContext(options)
  const inbox = createInbox(context)
  const branches = createBranches(context)
  const files = createFiles(context, maxFileBytes)

  /** Rejects writes if the database holds other data than at the start of this process. */
  const writing =
    <A extends unknown[], T>(write: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const problem = identity.problem()
      if (problem !== undefined) throw problem
      try {
        return await write(...args)
      } catch (error) {
        identity.note(error)
        throw error
      }
    }

  return {
    isDurable: true,
    append: writing(appender.append),
    read: (session, after, limit, log) => readLog(context, session, after, limit, log),
    wait: context.waits.wait,
    parts: (session, collection, range, log) => readParts(context, session, collection, range, log),
    open: writing((session, lease, epoch, owner) =>
      openSession(context, session, lease, epoch, owner),
    ),
    info: (session) => lookAtSession(context, session),
    list: (range) => listSessions(context, range),
    renew: writing((session, epoch, lease, log) => renewLease(context, session, epoch, lease, log)),
    leases: (limit, after) => listLeases(context, limit, after),
    remove: (session, seen) => removeSession(context, session, { seen }),
    prune: (idleMs, isKept) => pruneSessions(context, idleMs, isKept),
    ...inbox,
    submit: writing(inbox.submit),
    settle: writing(inbox.settle),
    claim: writing(inbox.claim),
    ...branches,
    fork: writing(branches.fork),
    trim: writing(branches.trim),
    ...files,
    putFile: writing(files.putFile),
    send: context.hints.send,
    onCommand: context.hints.onCommand,

    ping: (withinMs) => withTimeLimit(ready().then(identity.look), withinMs, failure),

    close,
  }
}
