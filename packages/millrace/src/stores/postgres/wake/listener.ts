import type { Client } from 'pg'

/** Options of a listener for notifications. */
export interface ListenerOptions {
  readonly connect: () => Promise<Client>
  readonly channel: string
  readonly onMessage: (message: string) => void
  /** Called when notifications start to arrive; earlier ones were missed. */
  readonly onListening: () => void
  readonly onFailure: (error: unknown) => void
}

const RETRY_MS = 50
const LONGEST_RETRY_MS = 1_000

/** Creates a receiver of notifications on a connection of its own, which connects at once and again after every failure. */
export function createListener(options: ListenerOptions): { close(): Promise<void> } {
  const { connect, channel, onMessage, onListening, onFailure } = options
  let client: Client | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let retries = 0
  let isClosed = false

  const fail = (own: Client | undefined, error: unknown): void => {
    if (isClosed || own !== client) return
    client = undefined
    own?.end().catch(() => {})
    onFailure(error)
    retry = setTimeout(() => void start(), Math.min(RETRY_MS * ++retries, LONGEST_RETRY_MS))
    retry.unref()
  }

  const start = async (): Promise<void> => {
    let own: Client | undefined
    try {
      own = await connect()
      client = own
      own.on('error', (error) => fail(own, error))
      own.on('end', () => fail(own, new Error('The connection has ended.')))
      own.on('notification', ({ payload }) => onMessage(payload ?? ''))
      if (isClosed) return
      await own.connect()
      await own.query(`LISTEN "${channel}"`)
      retries = 0
      onListening()
    } catch (error) {
      fail(own, error)
    }
  }

  void start()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      await client?.end().catch(() => {})
    },
  }
}
