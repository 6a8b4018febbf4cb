import { openStore } from 'millrace/node'
import type { Store } from 'millrace/server'

const PAGE = 500

/**
 * Reads some sessions directly from the store, by session; the server of a SQLite file must have
 * ended.
 */
export async function readLogs(
  address: string,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const store = await openStore(address, { exclusive: false })
  try {
    const logs = new Map<string, readonly string[]>()
    for (const session of sessions) logs.set(session, await readLog(store, session))
    return logs
  } finally {
    await store.close()
  }
}

/** The lines of a session, that of id 1 first. */
export async function readLog(store: Store, session: string): Promise<readonly string[]> {
  const decoder = new TextDecoder()
  const lines: string[] = []
  for (;;) {
    const page = await store.read(session, lines.length, PAGE)
    for (const { line } of page) lines.push(decoder.decode(line))
    if (page.length < PAGE) return lines
  }
}
