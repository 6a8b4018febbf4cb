import { type AsyncConnection, openAsyncConnection, type Statements } from './connection.ts'
import { createFindShared, type FindShared } from '../log/shared-logs.ts'
import { writeTexts } from './statements.ts'
import { isBusy } from './store-errors.ts'

/** How sure a commit is: `full` survives the loss of power, `normal` only the end of the process. */
export type Synchronous = 'full' | 'normal'

/** What a writer opens. */
export interface WriterOptions {
  readonly path: string
  readonly synchronous: Synchronous
  /** How long the lock of another process is waited for. */
  readonly busyTimeoutMs: number
}

/** The one connection that writes. Its statements answer at once; what waits for the disk runs on another thread. */
export interface Writer {
  readonly statements: Statements<typeof writeTexts>
  /** Finds fork points, and remembers them. */
  readonly findShared: FindShared
  /** Becomes the only one that writes, as soon as no other process does. */
  begin(): Promise<void>
  /** Runs these texts and commits, on another thread. */
  commit(texts: readonly string[]): Promise<void>
  rollback(): Promise<void>
  /** Moves what the log of SQLite holds to the file, and makes that log empty. */
  checkpoint(): Promise<void>
  close(): void
}

/** A burst may make the log of SQLite longer; it is cut back to this. */
const maxIdleWalBytes = 16_777_216

/** Opens a file that is provided already. */
export async function openWriter(options: WriterOptions): Promise<Writer> {
  const { path, synchronous, busyTimeoutMs } = options
  const connection = openAsyncConnection(path)
  await connection.exec(`
    PRAGMA synchronous = ${synchronous};
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON;
    PRAGMA journal_size_limit = ${maxIdleWalBytes};
  `)
  const statements = await prepareAll(connection)
  return {
    statements,
    findShared: createFindShared(statements),
    begin: () => patiently(() => statements.begin.run(), busyTimeoutMs),
    commit: (texts) => connection.exec([...texts, 'COMMIT'].join(';\n')),
    // SQLite may have rolled back by itself, which makes this an error.
    rollback: () => connection.exec('ROLLBACK').catch(() => {}),
    checkpoint: () => connection.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    close: () => connection.close(),
  }
}

async function prepareAll(connection: AsyncConnection): Promise<Statements<typeof writeTexts>> {
  const prepared = Object.entries(writeTexts).map(
    async ([name, sql]) => [name, await connection.prepare(sql)] as const,
  )
  return Object.fromEntries(await Promise.all(prepared)) as Statements<typeof writeTexts>
}

/** Tries again while another process writes: SQLite's own patience would put the whole process to sleep. */
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
