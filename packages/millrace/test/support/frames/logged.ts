import type { Store } from '../../../src/stores/port/index.ts'

/** A frame with its id, as text. */
export interface Logged {
  readonly id: string
  readonly data: string
}

/** Reads the whole log of a session from its store, without the server. */
export async function readLogged(store: Store, session: string): Promise<Logged[]> {
  const logged: Logged[] = []
  const decoder = new TextDecoder()
  for (;;) {
    const page = await store.read(session, logged.length, 500)
    if (page.length === 0) return logged
    for (const { id, line } of page) logged.push({ id: String(id), data: decoder.decode(line) })
  }
}
