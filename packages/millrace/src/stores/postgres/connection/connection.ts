import type { Pool } from 'pg'
import { storeClosed } from '../../port/index.ts'
import type { Outage } from './outage.ts'
import { isPassing, toStoreError } from './store-errors.ts'
import type { Row, Value } from '../values.ts'

/** Connections that statements are sent on. */
export interface Connection {
  /**
   * Sends a statement and gives its rows. If the connection is lost it is sent again, so that whatever must not happen twice knows a
   * repetition by its token. Rejects with `store_unavailable` when the time is over.
   */
  send(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Works with one connection for several statements, and once only. */
  use<T>(
    work: (
      run: (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>,
    ) => Promise<T>,
  ): Promise<T>
  /** Lets what is under way end, and refuses the rest. */
  close(): Promise<void>
}

/** What connections are made with. */
export interface ConnectionOptions {
  readonly pool: () => Promise<Pool>
  readonly timeoutMs: number
  readonly outage: Outage
}

/** What is done once, such as making tables, may take so long: another process may be at it. */
const onceOptions = { query_timeout: 60_000 }

/** A statement that failed because of the connection rests for so long before it is sent again. */
const REST_MS = 20

/** Builds connections, which are made when they are needed. */
export function createConnection({ pool, timeoutMs, outage }: ConnectionOptions): Connection {
  let made: Promise<Pool> | undefined
  let isClosed = false

  const make = async (): Promise<Pool> => {
    const fresh = await pool()
    // An idle connection was lost; the next statement makes another.
    fresh.on('error', outage.fail)
    return fresh
  }

  const provide = (): Promise<Pool> => {
    if (isClosed) throw storeClosed()
    made ??= make()
    return made
  }

  const untilDone = <T>(work: () => Promise<T>): Promise<T> => repeat(work, timeoutMs, outage)

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
      // The statement under way fails as well.
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

/** Does work until it succeeds, fails for good, or the time is over. */
async function repeat<T>(work: () => Promise<T>, timeoutMs: number, outage: Outage): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      const result = await work()
      outage.restore()
      return result
    } catch (error) {
      const isLate = performance.now() + REST_MS >= deadline
      if (isPassing(error)) outage.fail(error)
      if (isLate || !isPassing(error)) throw toStoreError(error)
      await new Promise((resolve) => setTimeout(resolve, REST_MS))
    }
  }
}
