/** What to say of a session's status, and in which colour. */
export interface StatusWords {
  readonly label: string
  readonly tone: 'live' | 'warn' | 'bad' | 'calm'
}

const known: Readonly<Record<string, StatusWords>> = {
  running: { label: 'Running', tone: 'live' },
  paused: { label: 'Waiting for you', tone: 'warn' },
  ended: { label: 'Ended', tone: 'calm' },
  interrupted: { label: 'Interrupted', tone: 'bad' },
}

/** The words for a status; newer servers may have others, which are shown as they are. */
export function toStatusWords(status: string | undefined): StatusWords {
  if (status === undefined) return { label: 'Only files', tone: 'calm' }
  return Object.hasOwn(known, status)
    ? (known[status] ?? { label: status, tone: 'calm' })
    : { label: status, tone: 'calm' }
}
