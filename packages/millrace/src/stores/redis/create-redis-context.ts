import { type Ancestors, createAncestors } from './branches/ancestors.ts'
import { createCommands, createWaitLists, type WaitLists } from './wake/wait-lists.ts'
import { createConnect, isCluster } from './connection/connect.ts'
import { type Connection, createConnection } from './connection/connection.ts'
import { createRedisIdentity, type RedisIdentity } from './connection/identity.ts'
import { createKeys, type Keys } from './keys.ts'
import {
  createDataLossDetector,
  createMarks,
  type DataLossDetector,
} from './connection/data-loss-detector.ts'
import { endOfLog } from './sessions/open-session.ts'
import { createOutage } from '../remote/index.ts'
import type { RedisStoreOptions } from './redis-store-options.ts'
import { createRunScript, type RunScript } from './connection/run-script.ts'
import { note } from './scripts/sessions.ts'
import { storeUnavailable } from './connection/store-errors.ts'
import { createSubscriber } from './wake/subscriber.ts'
import type { Cluster, Redis } from 'ioredis'

interface NotedChange {
  /** `open` lists a session that is not listed yet, `write` moves it to the first place. */
  readonly change?: 'open' | 'write' | 'remove' | undefined
  /** Owner of the session, for a write or a removal. Before the creation of the session, its intended owner. */
  readonly owner?: string | null | undefined
  /** A recorded owner that the session does not have. */
  readonly notOwner?: string | null | undefined
  readonly lease?: number | undefined
  /** Whether it may have pending commands and no lease from now on. Recorded in advance, because it would otherwise not be found. */
  readonly isWaiting?: boolean
}

/** Context that the parts of a store share. */
export interface RedisContext {
  readonly connection: Connection
  readonly run: RunScript
  readonly keys: Keys
  readonly identity: RedisIdentity
  readonly lossDetector: DataLossDetector
  readonly waitLists: WaitLists
  readonly ancestors: Ancestors
  /** Keys of the sets of all sessions, if a session's script may use them; empty on a cluster. */
  readonly shared: readonly string[]
  /** Records a change in the sets of all sessions; undefined if the session's own script records it. */
  note(session: string, change: NotedChange): Promise<unknown> | undefined
}

/** A hash tag in the prefix puts all keys into one slot. */
const hashTag = /\{[^}]+\}/

/** Connects to Redis, and connects the parts of a store. */
export function createRedisContext(options: RedisStoreOptions) {
  const { prefix = 'millrace:', commandTimeoutMs: timeoutMs = 5_000 } = options
  const { maxMarks = 10_000, onError = () => {}, onRestored = () => {} } = options
  const createLink = createOutage({ database: 'Redis', onError, onRestored })
  const connect = createConnect(options, timeoutMs)
  const connection = createConnection({
    client: connect.commands(),
    timeoutMs,
    isWatched: !connect.isCluster,
    link: createLink(),
  })
  const run = createRunScript(connection)
  const keys = createKeys(prefix)
  const identity = createRedisIdentity(connection, keys, onError)
  const all = [keys.sessions, keys.leases, keys.waiting, keys.oldLeases]
  const isApart = connect.isCluster && !hashTag.test(prefix)
  const shared = isApart ? [] : all

  const noteApart: RedisContext['note'] = (session, noted) => {
    if (!isApart) return undefined
    const { change = '', lease = '', isWaiting, owner, notOwner } = noted
    const about = [session, change, lease, isWaiting === true ? 'waiting' : '']
    return run(note, all, [...about, owner ?? '', notOwner ?? ''])
  }
  const marks = createMarks(maxMarks)
  const onLost = async (session: string): Promise<void> => {
    await noteApart(session, { change: 'write' })
  }
  const lossDetector = createDataLossDetector({ run, keys, marks, shared, onLost })
  const waitLists = createWaitLists({
    keys,
    subscriber: () => subscriber,
    endOf: (session) => endOfLog(context, session),
    forget: (session) => lossDetector.forget(session),
  })
  const parts = { connection, run, keys, identity, lossDetector, waitLists, shared }
  const ancestors = createAncestors()
  const context: RedisContext = { ...parts, ancestors, note: noteApart }
  const commands = createCommands(context)
  const subscriber = createSubscriber({
    connect: () => connect.listener(connection.client),
    timeoutMs,
    onMessage: (channel, message) =>
      channel === keys.commands ? commands.receive(message) : waitLists.receive(channel, message),
    onRestored: waitLists.recheck,
    onFailure: (cause) => waitLists.dismissAll(storeUnavailable(cause)),
    link: createLink(),
  })
  // The next connection subscribes again; the failure was already reported.
  subscriber.subscribe(keys.commands).catch(() => {})
  // The failure was already reported.
  connection.client.on('ready', () => void identity.look().catch(() => {}))
  const { client } = connection
  if (isCluster(client)) watchFailOvers(client, lossDetector.verifyAll)
  else watchRestarts(connection, lossDetector.verifyAll, onError)
  return { context, commands, subscriber }
}

/**
 * Calls back when a cluster has another master, or one that was connected to anew: either may have less than was seen. Clients ask
 * the cluster for its masters at intervals. A review that fails is made again with the next answer.
 */
function watchFailOvers(cluster: Cluster, onFailOver: () => Promise<void>): void {
  let known: ReadonlySet<Redis> = new Set()
  let isReviewing = false

  const look = async (): Promise<void> => {
    const masters = cluster.nodes('master')
    if (isReviewing || masters.every((master) => known.has(master))) return
    isReviewing = true
    try {
      await onFailOver()
      known = new Set(masters)
    } finally {
      isReviewing = false
    }
  }
  cluster.on('refresh', () => void look().catch(() => {}))
}

/** Calls back when the client connects to another or a restarted server. */
function watchRestarts(
  { client, send }: Connection,
  onRestart: () => Promise<void>,
  onError: (error: unknown) => void,
): void {
  let known: string | undefined
  const look = async (): Promise<void> => {
    const info = String(await send('info', ['server']))
    const id = /^run_id:(\w+)/m.exec(info)?.[1]
    const isOther = known !== undefined && id !== known
    known = id
    if (isOther) await onRestart()
  }
  client.on('ready', () => void look().catch(onError))
}
