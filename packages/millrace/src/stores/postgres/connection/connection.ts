import type { Pool } from 'pg'
import { storeClosed } from '../../port/index.ts'
import type { Link } from '../../remote/index.ts'
import { isExplained, isPassing, toStoreError } from './store-errors.ts'
import type { Row, Value } from '../values.ts'

/** Connections for statements. */
export interface Connection {
  /**
   * Sends a statement and returns its rows. Repeats it after a connection failure; statements that must not run twice need a token. Rejects
   * with `store_unavailable` after the timeout.
   */
  send(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Runs several statements on one connection, without repetition. */
  use<T>(
    work: (
      run: (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>,
    ) => Promise<T>,
  ): Promise<T>
  /** Rejects new statements, and ends after the pending ones. */
  close(): Promise<void>
}

interface ConnectionOptions {
  readonly pool: () => Promise<Pool>
  readonly timeoutMs: number
  readonly link: Link
}

/** Timeout of statements that run once, such as those that create tables. They may wait for another process. */
const onceOptions = { query_timeout: 60_000 }

/** Delay before a statement is repeated after a connection failure. */
const REST_MS = 20

/** Creates connections, which are opened on demand. */
export function createConnection({ pool, timeoutMs, link }: ConnectionOptions): Connection {
  let made: Promise<Pool> | undefined
  let isClosed = false

  const make = async (): Promise<Pool> => {
    const fresh = await pool()
    // An idle connection has failed. The next statement opens another.
    fresh.on('error', link.fail)
    return fresh
  }

  const provide = (): Promise<Pool> => {
    if (isClosed) throw storeClosed()
    made ??= make()
    return made
  }

  const untilDone = <T>(work: () => Promise<T>): Promise<T> => repeat(work, timeoutMs, link)

  return {
    send: (text, values = []) =>
      untilDone(async () => {
        const own = await provide()
        const { rows } = await own.query<Value[]>({ text, values: [...values], rowMode: 'array' })
        return rows
      }),

    use: async (work) => {
      const client = await untilDone(async () => (await provide()).connect())
      const ignore = (): void => {}
      // The pending statement fails too.
      client.on('error', ignore)
      try {
        const result = await work(async (text, values = []) => {
          const query = { text, values: [...values], rowMode: 'array' as const }
          const { rows } = await client.query<Value[]>({ ...query, ...onceOptions })
          return rows
        })
        client.release()
        return result
      } catch (error) {
        client.release(true)
        throw toStoreError(error)
      } finally {
        client.off('error', ignore)
      }
    },

    close: async () => {
      if (isClosed) return
      isClosed = true
      await (await made?.catch(() => undefined))?.end()
    },
  }
}

/** Repeats work until it succeeds, fails permanently, or the timeout ends. */
async function repeat<T>(work: () => Promise<T>, timeoutMs: number, link: Link): Promise<T> {
  const deadline = performance.now() + timeoutMs
  let reason: unknown
  for (;;) {
    try {
      const result = await work()
      link.restore()
      return result
    } catch (error) {
      const isLate = performance.now() + REST_MS >= deadline
      if (!isPassing(error)) throw toStoreError(error)
      link.fail(error)
      // The last attempt ends with the timeout of the driver, with any reason of those before it.
      if (isExplained(error) || reason === undefined) reason = error
      if (isLate) throw toStoreError(reason)
      await new Promise((resolve) => setTimeout(resolve, REST_MS))
    }
  }
}
