import { type Store, storeClosed } from '../store/index.ts'
import { listLeases, listSessions, pruneSessions, removeSession } from './all-sessions.ts'
import { createAppendLines } from './append-lines.ts'
import { createRedisContext } from './create-redis-context.ts'
import { findFile, keepFile, listFileIds } from './files.ts'
import { listConversations } from './list-conversations.ts'
import { lookAtSession, openSession } from './open-session.ts'
import { createReadLines } from './read-lines.ts'
import type { RedisStoreOptions } from './redis-store-options.ts'
import { renewLease } from './renew-lease.ts'

/** Keeps sessions in Redis, for many processes: they wake each other, and one carries on what another has lost. */
export function createRedisStore(options: RedisStoreOptions): Store {
  const { maxMessagesPerSession = 200_000, maxFileBytes = 33_554_432 } = options
  const { context, commands, subscriber } = createRedisContext(options)
  const { connection, keys, taps } = context
  const append = createAppendLines(context, maxMessagesPerSession)
  const read = createReadLines(context)
  let isClosed = false

  return {
    isDurable: true,
    append,
    read,
    open: (session, lease, epoch) => openSession(context, session, lease, epoch),
    info: (session) => lookAtSession(context, session),

    wait: async (session, after, signal) => {
      if (isClosed) throw storeClosed()
      return taps.wait(session, after, signal)
    },

    list: (range) => listSessions(context, range),
    renew: (session, epoch, lease) => renewLease(context, session, epoch, lease),
    leases: (limit) => listLeases(context, limit),
    conversations: (session, range) => listConversations(context, session, range),
    putFile: (session, file) => keepFile(context, session, file, maxFileBytes),
    file: (session, id) => findFile(context, session, id),
    fileIds: (session) => listFileIds(context, session),
    remove: (session) => removeSession(context, session),
    prune: (idleMs) => pruneSessions(context, idleMs),
    send: commands.send,
    onCommand: commands.onCommand,

    // A replica, or a Redis whose disk is full, answers a ping and takes no writes.
    ping: async () => void (await connection.send('set', [keys.probe, '', 'PX', 1_000])),

    close: async () => {
      isClosed = true
      taps.close(storeClosed())
      await Promise.all([connection.close(), subscriber.close()])
    },
  }
}
