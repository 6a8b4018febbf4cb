import { checkOptions, type OptionType } from '../../errors/index.ts'
import { type Store, withTimeLimit } from '../port/index.ts'
import { listLeases, listSessions, listUnattended, pruneSessions } from './sessions/all-sessions.ts'
import { createAppendLines } from './log/append-lines.ts'
import type { RedisIdentity } from './connection/identity.ts'
import { createRedisContext } from './create-redis-context.ts'
import { findFile, keepFile, listFileIds } from './log/files.ts'
import { forkSession } from './branches/fork-session.ts'
import { claimFor, readCommands, settleCommand, submitCommand } from './sessions/inbox.ts'
import { listBranches } from './branches/list-branches.ts'
import { lookAtSession, openSession, removeSession, renewLease } from './sessions/open-session.ts'
import { createReadLines, trimLog } from './log/read-lines.ts'
import { readParts } from './log/read-parts.ts'
import type { RedisLimits, RedisStoreOptions, RedisUrl } from './redis-store-options.ts'

const types: Readonly<Record<keyof (RedisUrl & RedisLimits), OptionType>> = {
  url: 'string',
  client: 'object',
  cluster: 'boolean',
  tls: 'object',
  prefix: 'string',
  maxMessagesPerSession: 'number',
  maxFileBytes: 'number',
  commandTimeoutMs: 'number',
  maxMarks: 'number',
  onError: 'function',
  onRestored: 'function',
}

/** Creates a store in Redis for many processes. They wake each other, and each can continue the runs of a lost one. */
export function createRedisStore(options: RedisStoreOptions): Store {
  checkOptions('createRedisStore', options as Partial<Record<keyof typeof types, unknown>>, types)
  const { maxMessagesPerSession = 200_000, maxFileBytes = 33_554_432 } = options
  const { context, commands, subscriber } = createRedisContext(options)
  const { connection, keys, waitLists, identity } = context
  const append = createAppendLines(context, maxMessagesPerSession)
  const read = createReadLines(context)

  const writing = createWriting(identity)

  return {
    isDurable: true,
    append: (asked) => writing(() => append(asked)),
    read,
    trim: (session, before, log) => writing(() => trimLog(context, session, before, log)),
    fork: (fork) => writing(() => forkSession(context, fork)),
    branches: (session, limit, log) => listBranches(context, session, limit, log),
    open: (session, lease, epoch, owner) =>
      writing(() => openSession(context, session, lease, epoch, owner)),
    info: (session) => lookAtSession(context, session),

    wait: waitLists.wait,
    list: (range) => listSessions(context, range),
    renew: (session, epoch, lease, log) =>
      writing(() => renewLease(context, session, epoch, lease, log)),
    leases: (limit, after) => listLeases(context, limit, after),
    parts: (session, collection, range, log) => readParts(context, session, collection, range, log),
    submit: (session, command, log) => writing(() => submitCommand(context, session, command, log)),
    settle: (session, command, log) => writing(() => settleCommand(context, session, command, log)),
    command: async (session, key, log) => (await readCommands(context, session, [key], log))[0],
    commands: (session, after, limit, log) =>
      readCommands(context, session, [after, after + limit], log),
    pending: (session, log) => readCommands(context, session, [], log),
    unattended: (limit, after) => listUnattended(context, limit, after),
    claim: (session, name, holder, ms) =>
      writing(() => claimFor(context, session, name, holder, ms)),
    putFile: (session, file) => writing(() => keepFile(context, session, file, maxFileBytes)),
    file: (session, id) => findFile(context, session, id),
    fileIds: (session) => listFileIds(context, session),
    remove: (session, seen) => removeSession(context, session, { seen }),
    prune: (idleMs, isKept) => pruneSessions(context, idleMs, isKept),
    send: commands.send,
    onCommand: commands.onCommand,

    // A write, because a replica or a Redis with a full disk still answers a ping.
    ping: (withinMs) => {
      const ping = async (): Promise<void> => {
        await identity.look()
        await connection.send('set', [keys.probe, '', 'PX', 1_000])
      }
      return withTimeLimit(ping(), withinMs, connection.failure)
    },

    close: async () => {
      identity.close()
      waitLists.close()
      await Promise.all([connection.close(), subscriber.close()])
    },
  }
}

/** Rejects writes if Redis holds other data than at the start of this process. */
function createWriting(identity: RedisIdentity): <T>(write: () => Promise<T>) => Promise<T> {
  const check = <T>(write: () => Promise<T>): Promise<T> => {
    const problem = identity.problem()
    return problem === undefined ? write() : Promise.reject(problem)
  }
  return (write) => {
    const beginning = identity.begin()
    return beginning === undefined ? check(write) : beginning.then(() => check(write))
  }
}
