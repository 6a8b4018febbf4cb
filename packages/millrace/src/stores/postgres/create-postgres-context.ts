import type { MillraceError } from '../../errors/index.ts'
import { createAppender, createTokens, type Tokens } from './log/append-lines.ts'
import { createConnect } from './connection/connect.ts'
import { type Connection, createConnection } from './connection/connection.ts'
import { createPostgresIdentity } from './connection/identity.ts'
import { migrate } from './connection/migrate.ts'
import { toStoreError } from './connection/store-errors.ts'
import { createNames, type Names } from './names.ts'
import { createNews } from './wake/news.ts'
import { createOutage, type Link, type Waits } from '../remote/index.ts'
import type { PostgresStoreOptions } from './postgres-store-options.ts'
import { lookAtEnds } from './log/read-log.ts'
import { migrations } from './sql/migrations.ts'
import type { Hints } from './wake/hints.ts'

/** Context that the parts of a store share. */
export interface PostgresContext {
  /** Sends a statement once the tables exist. */
  readonly send: Connection['send']
  readonly names: Names
  readonly tokens: Tokens
  readonly waits: Waits
  readonly hints: Hints
}

/** Number of arguments of the append function. */
const APPEND_ARGUMENTS = 33

/** Connects the parts of a store. Connections are opened on demand. */
export function createPostgresContext(options: PostgresStoreOptions) {
  const { schema = 'millrace', prefix = '', commandTimeoutMs: timeoutMs = 5_000 } = options
  const { maxMessagesPerSession = 200_000, maxConnections = 4, pollMs = 100 } = options
  const { listen = true, createTables = true, onError = () => {}, onRestored = () => {} } = options
  const names = createNames(schema, prefix)
  const connect = createConnect(options, timeoutMs)
  const link = createOutage({ database: 'Postgres', onError, onRestored })()
  const open = (max: number): Connection =>
    createConnection({ pool: () => connect.pool(max), timeoutMs, link })
  const common = open(maxConnections)
  const writer = open(1)
  const identity = createPostgresIdentity(common, names, migrations.length, onError)
  const ready = createReadiness(async () => {
    await migrate(common, names, createTables)
    await identity.look()
    identity.start()
  })

  const sendTo =
    (connection: Connection): Connection['send'] =>
    async (text, values) => {
      await ready()
      return connection.send(text, values)
    }
  const send = sendTo(common)
  const news = createNews({
    look: (sessions) => lookAtEnds({ send, names }, sessions),
    connection: common,
    channel: names.channel,
    connect: connect.listener,
    isOn: listen,
    pulseMs: timeoutMs,
    pollMs,
  })
  const { waits, hints } = news

  const places = Array.from({ length: APPEND_ARGUMENTS }, (_, index) => `$${index + 1}`)
  const appendSql = `SELECT * FROM ${names.append}(${places.join(', ')})`
  const sendGroup = sendTo(writer)
  const appender = createAppender({
    send: (values) => sendGroup(appendSql, values),
    maxMessages: maxMessagesPerSession,
    onStored: (session, tail) => {
      waits.append(session, tail)
      hints.announce(session, tail)
    },
  })

  return {
    context: { send, names, tokens: createTokens(), waits, hints },
    appender,
    identity,
    /** Returns the last connection failure, unless Postgres has answered since. */
    failure: (): MillraceError | undefined => failureOf(link),
    /** Resolves when the tables exist and their version is supported; otherwise rejects with the reason. The next call tries again. */
    ready,
    close: async () => {
      identity.close()
      news.dismiss()
      await appender.close()
      await news.close()
      await Promise.all([common.close(), writer.close()])
    },
  }
}

function failureOf(link: Link): MillraceError | undefined {
  const failure = link.failure()
  return failure === undefined ? undefined : toStoreError(failure)
}

/** Runs a preparation once; after a failure, the next call repeats it. */
function createReadiness(prepare: () => Promise<void>): () => Promise<void> {
  let prepared: Promise<void> | undefined
  return () => {
    prepared ??= prepare().catch((error: unknown) => {
      prepared = undefined
      throw error
    })
    return prepared
  }
}
