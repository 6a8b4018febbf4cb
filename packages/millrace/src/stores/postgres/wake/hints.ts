import { createListeners } from '../../../streams/index.ts'
import { decodeMessage } from '../../remote/index.ts'
import type { Connection } from '../connection/connection.ts'
import { createTails, readTails, MAX_BYTES } from './hinted-tails.ts'
import { createListener, type ListenerOptions } from './listener.ts'

/** Notifications between processes. Any may be lost; that only causes a delay. */
export interface Hints {
  /** Announces a new tail; 0 for a removed session. */
  announce(session: string, tail: number): void
  send(session: string, command: string): Promise<void>
  onCommand(listener: (session: string, command: string) => void): () => void
  /** Whether notifications are known to arrive. */
  isReceiving(): boolean
  close(): Promise<void>
}

/** Options of {@link createHints}. */
export interface HintsOptions extends Pick<ListenerOptions, 'connect' | 'channel'> {
  readonly connection: Connection
  /** Whether notifications are enabled. */
  readonly isOn: boolean
  readonly onTail: (session: string, tail: number) => void
  /** Called when notifications start to arrive. */
  readonly onReceiving: () => void
  /** Interval of pulses: notifications to this process itself, which verify delivery. */
  readonly pulseMs: number
}

/** Number of pulses without a notification after which another process is considered gone. */
const PULSES = 3

/** Creates the hints of a process, which listens at once. */
export function createHints(options: HintsOptions): Hints {
  const { connection, channel, connect, isOn, onTail, onReceiving, pulseMs } = options
  const listeners = createListeners<[session: string, command: string]>()
  const process = crypto.randomUUID()
  let isReceiving = false
  /** Remaining pulses until other processes are considered gone. Then nothing is announced. */
  let pulsesWithOthers = PULSES

  const notify = async (messages: readonly string[]): Promise<void> => {
    if (!isOn || messages.length === 0) return
    await connection.send('SELECT pg_notify($1, m) FROM unnest($2::text[]) m', [channel, messages])
  }

  const tails = createTails(process, notify)

  const receive = (message: string): void => {
    const [sender, kind, ...rest] = decodeMessage(message)
    if (sender === process && kind === 'pulse') {
      if (!isReceiving) onReceiving()
      isReceiving = true
    }
    // Local listeners were called when it was stored or sent.
    if (sender === process) return
    pulsesWithOthers = PULSES
    if (kind === 'tails') readTails(rest, onTail)
    const [session, command] = rest
    if (kind === 'command' && typeof session === 'string' && typeof command === 'string')
      listeners.notify(session, command)
  }

  const pulse = (): void => void notify([JSON.stringify([process, 'pulse'])]).catch(() => {})
  // A pooler may accept LISTEN and then give the connection to other clients. Only a received notification proves delivery.
  const timer = setInterval(() => {
    // While no notifications arrive, other processes cannot be detected.
    pulsesWithOthers = isReceiving ? pulsesWithOthers - 1 : PULSES
    isReceiving = false
    pulse()
  }, pulseMs)
  timer.unref()

  const onLost = (): void => void (isReceiving = false)
  const listening = { connect, channel, onMessage: receive, onListening: pulse, onLost }
  const listener = isOn ? createListener(listening) : undefined

  return {
    announce: (session, tail) => {
      if (isOn && pulsesWithOthers > 0) tails.announce(session, tail)
    },

    send: async (session, command) => {
      const message = JSON.stringify([process, 'command', session, command])
      if (Buffer.byteLength(message) <= MAX_BYTES) await notify([message])
      listeners.notify(session, command)
    },

    onCommand: listeners.subscribe,

    isReceiving: () => isReceiving,

    close: async () => {
      clearInterval(timer)
      await listener?.close()
    },
  }
}
