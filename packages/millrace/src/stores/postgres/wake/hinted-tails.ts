/** Tells other processes where logs end now. */
export interface HintedTails {
  tell(session: string, tail: number): void
}

/** A notification has less than 8,000 bytes. */
export const MAX_BYTES = 7_900

/** Builds what tells: tails that come while a notification is on its way go with the next one, the newest of each session. */
export function createTails(
  process: string,
  notify: (messages: readonly string[]) => Promise<void>,
): HintedTails {
  const untold = new Map<string, number>()
  let isTelling = false

  const tellAll = async (): Promise<void> => {
    while (untold.size > 0) {
      const messages = toMessages(process, untold)
      untold.clear()
      // Whoever missed it looks by itself.
      await notify(messages).catch(() => {})
    }
    isTelling = false
  }

  return {
    tell: (session, tail) => {
      untold.set(session, tail)
      if (isTelling) return
      isTelling = true
      void tellAll()
    },
  }
}

/** Reads what another process has told: sessions and tails in turn. */
export function hearTails(
  told: readonly unknown[],
  onTail: (session: string, tail: number) => void,
): void {
  for (let at = 0; at + 1 < told.length; at += 2) {
    const [session, tail] = [told[at], told[at + 1]]
    if (typeof session === 'string' && typeof tail === 'number') onTail(session, tail)
  }
}

/** Notifications that tell of all these tails, each as long as one may be. */
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
