/** Maximum size of a notification; Postgres requires less than 8,000 bytes. */
export const MAX_BYTES = 7_900

/** Creates the announcer of new tails of logs to other processes. Tails that arrive while a notification is being sent join the next one, the newest of each session. */
export function createTails(
  process: string,
  notify: (messages: readonly string[]) => Promise<void>,
): { announce(session: string, tail: number): void } {
  const pending = new Map<string, number>()
  let isSending = false

  const sendAll = async (): Promise<void> => {
    while (pending.size > 0) {
      const messages = toMessages(process, pending)
      pending.clear()
      // Processes that miss a notification poll.
      await notify(messages).catch(() => {})
    }
    isSending = false
  }

  return {
    announce: (session, tail) => {
      pending.set(session, tail)
      if (isSending) return
      isSending = true
      void sendAll()
    },
  }
}

/** Reads the tails of a notification: sessions and tails alternate. */
export function readTails(
  values: readonly unknown[],
  onTail: (session: string, tail: number) => void,
): void {
  for (let at = 0; at + 1 < values.length; at += 2) {
    const [session, tail] = [values[at], values[at + 1]]
    if (typeof session === 'string' && typeof tail === 'number') onTail(session, tail)
  }
}

/** Returns notifications for all tails, each within the maximum size. */
function toMessages(process: string, tails: ReadonlyMap<string, number>): string[] {
  const messages: string[] = []
  let body = ''
  let bytes = 100
  for (const [session, tail] of tails) {
    const entry = `,${JSON.stringify(session)},${tail}`
    const size = Buffer.byteLength(entry)
    if (bytes + size > MAX_BYTES) {
      messages.push(body)
      body = ''
      bytes = 100
    }
    body += entry
    bytes += size
  }
  return [...messages, body].map((entries) => `["${process}","tails"${entries}]`)
}
