import type { Connection } from '../connection/connection.ts'
import { createTails, hearTails, MAX_BYTES } from './hinted-tails.ts'
import { createListener, type ListenerOptions } from './listener.ts'

type CommandListener = (session: string, command: string) => void

/** What processes tell each other with notifications. Any of it may be lost, and nothing depends on it but how soon something is seen. */
export interface Hints {
  /** Tells the others of new messages; a tail of 0 says that the session is gone. */
  tell(session: string, tail: number): void
  send(session: string, command: string): Promise<void>
  onCommand(listener: CommandListener): () => void
  /** Whether notifications come through, as far as is known. */
  isHearing(): boolean
  close(): Promise<void>
}

/** What hints are made with. */
export interface HintsOptions extends Pick<ListenerOptions, 'connect' | 'channel'> {
  readonly connection: Connection
  /** Whether processes tell each other anything. */
  readonly isOn: boolean
  readonly onTail: (session: string, tail: number) => void
  /** Notifications are heard from now on. */
  readonly onHearing: () => void
  /** How often a notification of one's own is waited for, to know that they come through. */
  readonly pulseMs: number
}

/** Another process is there as long as one of so many pulses is heard. */
const PULSES = 3

/** Builds the hints of a process, which listens at once. */
export function createHints(options: HintsOptions): Hints {
  const { connection, channel, connect, isOn, onTail, onHearing, pulseMs } = options
  const listeners = new Set<CommandListener>()
  const process = crypto.randomUUID()
  let isHearing = false
  /** Another process was heard of within so many pulses: as long as there is none, nobody needs to be told. */
  let pulsesWithOthers = PULSES

  const notify = async (messages: readonly string[]): Promise<void> => {
    if (!isOn || messages.length === 0) return
    await connection.send('SELECT pg_notify($1, m) FROM unnest($2::text[]) m', [channel, messages])
  }

  const tails = createTails(process, notify)

  const tellHere = (session: string, command: string): void => {
    for (const listener of listeners) listener(session, command)
  }

  const hear = (message: string): void => {
    const [sender, kind, ...rest] = decode(message)
    if (sender === process && kind === 'pulse') {
      if (!isHearing) onHearing()
      isHearing = true
    }
    // Those here were told when it was stored or sent.
    if (sender === process) return
    pulsesWithOthers = PULSES
    if (kind === 'tails') hearTails(rest, onTail)
    const [session, command] = rest
    if (kind === 'command' && typeof session === 'string' && typeof command === 'string')
      tellHere(session, command)
  }

  const pulse = (): void => void notify([JSON.stringify([process, 'pulse'])]).catch(() => {})
  // A pooler may take LISTEN and give the connection to others: only a notification that came shows that they do.
  const timer = setInterval(() => {
    // While nothing is heard it is not known who is there.
    pulsesWithOthers = isHearing ? pulsesWithOthers - 1 : PULSES
    isHearing = false
    pulse()
  }, pulseMs)
  timer.unref()

  const onLost = (): void => void (isHearing = false)
  const listening = { connect, channel, onMessage: hear, onListening: pulse, onLost }
  const listener = isOn ? createListener(listening) : undefined

  return {
    tell: (session, tail) => {
      if (isOn && pulsesWithOthers > 0) tails.tell(session, tail)
    },

    send: async (session, command) => {
      const message = JSON.stringify([process, 'command', session, command])
      if (Buffer.byteLength(message) <= MAX_BYTES) await notify([message])
      tellHere(session, command)
    },

    onCommand: (told) => {
      listeners.add(told)
      return () => listeners.delete(told)
    },

    isHearing: () => isHearing,

    close: async () => {
      clearInterval(timer)
      await listener?.close()
    },
  }
}

/** Gives nothing for what no store has sent: anyone who reaches the database may notify. */
function decode(message: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(message)
    return Array.isArray(value) ? (value as unknown[]) : []
  } catch {
    return []
  }
}
