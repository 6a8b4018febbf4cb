import type { Redis } from 'ioredis'
import { isMillraceError } from '../../../src/errors/index.ts'
import type { LogEntry, Store } from '../../../src/stores/port/index.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Encodes lines. */
export const toLines = (...texts: readonly string[]): Uint8Array[] =>
  texts.map((text) => encoder.encode(text))

/** Shows entries as `id text`. */
export const toTexts = (entries: readonly LogEntry[]): string[] =>
  entries.map(({ id, line }) => `${id} ${decoder.decode(line)}`)

/** The code of an error of the library, or any other thrown value. */
export const codeOf = (error: unknown): string =>
  isMillraceError(error) ? error.code : String(error)

/** Resolves with the code with which a promise rejects. */
export const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(() => 'no failure', codeOf)

/** Waits for a while. */
export const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Reads a session like a server, waiting at its end, up to an id; continues after short outages of
 * the store.
 */
export async function follow(
  store: Store,
  session: string,
  last: number,
  signal: AbortSignal,
): Promise<string[]> {
  const found: string[] = []
  while (found.length < last && !signal.aborted) {
    try {
      const page = await store.read(session, found.length, 64)
      found.push(...toTexts(page))
      if (page.length === 0) await store.wait(session, found.length, signal)
    } catch (error) {
      if (codeOf(error) !== 'store_unavailable') throw error
    }
  }
  return found
}

/** The ids of the connections that stores have, as Redis counts them. */
export async function connectionsOf(admin: Redis): Promise<string[]> {
  const clients = String(await admin.client('LIST')).split('\n')
  return clients
    .filter((line) => line.includes('name=millrace'))
    .map((line) => /^id=(\d+)/.exec(line)?.[1] ?? '')
}
