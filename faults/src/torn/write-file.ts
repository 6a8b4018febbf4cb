import { stat } from 'node:fs/promises'
import { ask } from '../mill/ask.ts'
import { followSession, type SeenFrame } from '../mill/follow-session.ts'
import type { Mill } from '../mill/open-mill.ts'
import type { Stand } from '../mill/with-stand.ts'

/** A file as a killed server left it, with the log of SQLite beside it. */
export interface WrittenFile {
  readonly database: string
  readonly log: string
  /** The frames of each session that readers had received when the server was killed. */
  readonly seen: ReadonlyMap<string, readonly SeenFrame[]>
}

const SESSIONS_AT_ONCE = 8
/** Enough to move most data from the log into the file. */
const ENOUGH_BYTES = 500_000

/** Makes a server write sessions until the file has some size, and kills it during later writes. */
export async function writeFile(stand: Stand, signal: AbortSignal): Promise<WrittenFile> {
  const database = stand.address.replace(/^sqlite:/, '')
  const mill = await stand.startMill()
  const stopped = new AbortController()
  const readers = new Map<string, ReturnType<typeof followSession>>()
  const start = async (): Promise<void> => {
    const session = await ask(mill, 'grind')
    const reading = { session, chooseMill: livingMill(mill), signal: stopped.signal }
    const reader = followSession(reading)
    // Those still active at the end are released.
    reader.done.catch(() => {})
    readers.set(session, reader)
  }
  try {
    while ((await stat(database)).size < ENOUGH_BYTES) {
      signal.throwIfAborted()
      const before = readers.size
      await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, start))
      await Promise.all([...readers.values()].slice(before).map(({ done }) => done))
    }
    await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, start))
    const running = [...readers.values()].slice(-SESSIONS_AT_ONCE)
    await until(() => running.every(({ seen }) => seen().frames.length > 50), signal)
    await mill.kill()
  } finally {
    stopped.abort()
  }
  const seen = [...readers].map(([session, reader]) => [session, reader.seen().frames] as const)
  return { database, log: `${database}-wal`, seen: new Map(seen) }
}

function livingMill(mill: Mill): () => Mill | undefined {
  return () => (mill.isGone() ? undefined : mill)
}

async function until(isTrue: () => boolean, signal: AbortSignal): Promise<void> {
  while (!isTrue()) {
    signal.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
