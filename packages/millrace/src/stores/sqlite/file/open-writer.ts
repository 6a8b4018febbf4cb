import { numberAt } from './columns.ts'
import { type AsyncConnection, openAsyncConnection, type Statements } from './connection.ts'
import { checkVersion } from './migrate.ts'
import { migrations } from './schema.ts'
import { createFindShared } from '../log/shared-logs.ts'
import { writeTexts } from './statements.ts'
import { isBusy } from './store-errors.ts'

/** Durability of a commit: `full` survives a power failure, `normal` only the end of the process. */
export type Synchronous = 'full' | 'normal'

interface WriterOptions {
  readonly path: string
  readonly synchronous: Synchronous
  /** Maximum wait for the lock of another process. */
  readonly busyTimeoutMs: number
}

/** The only write connection. Its statements run synchronously; operations that wait for the disk run on another thread. */
export type Writer = Awaited<ReturnType<typeof openWriter>>

/** Size to which SQLite truncates its log after a burst. */
const maxIdleWalBytes = 16_777_216

/** Opens the connection that writes. */
export async function openWriter(options: WriterOptions) {
  const { path, synchronous, busyTimeoutMs } = options
  const connection = openAsyncConnection(path)
  const statements = await prepareAll(connection, synchronous).catch((error: unknown) => {
    connection.close()
    throw error
  })
  return {
    statements,
    /** Finds fork points, and caches them. */
    findShared: createFindShared(statements),
    /** Begins a write transaction once no other process has one. */
    begin: () => patiently(() => statements.begin.run(), busyTimeoutMs),
    /** Executes SQL texts and commits, on another thread. */
    commit: (texts: readonly string[]) => connection.exec([...texts, 'COMMIT'].join(';\n')),
    /** Throws `unsupported` if a newer version of the library has migrated the file. */
    checkVersion: () =>
      checkVersion(path, numberAt(statements.schemaVersion.get() ?? [], 0), migrations.length),
    // Fails if SQLite has already rolled back.
    rollback: () => connection.exec('ROLLBACK').catch(() => {}),
    /** Moves the contents of SQLite's log to the file, and empties the log. */
    checkpoint: () => connection.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    close: () => connection.close(),
  }
}

async function prepareAll(
  connection: AsyncConnection,
  synchronous: Synchronous,
): Promise<Statements<typeof writeTexts>> {
  await connection.exec(`
    PRAGMA synchronous = ${synchronous};
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON;
    PRAGMA journal_size_limit = ${maxIdleWalBytes};
  `)
  const prepared = Object.entries(writeTexts).map(
    async ([name, sql]) => [name, await connection.prepare(sql)] as const,
  )
  return Object.fromEntries(await Promise.all(prepared)) as Statements<typeof writeTexts>
}

/** Retries while another process writes. SQLite's own busy timeout would block the whole process. */
async function patiently(attempt: () => void, timeoutMs: number): Promise<void> {
  let waitedMs = 0
  for (let delayMs = 1; ; delayMs = Math.min(2 * delayMs, 32)) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    waitedMs += delayMs
  }
}
