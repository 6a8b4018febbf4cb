import { createListeners } from '../../../streams/index.ts'
import { decodeMessage } from '../../remote/index.ts'
import type { Connection } from '../connection/connection.ts'
import { createListener, type ListenerOptions } from './listener.ts'

/** Notifications between processes. Any may be lost; that only causes a delay. */
export type Hints = ReturnType<typeof createHints>

/** Options of hints, which report new frames by notifications. */
export interface HintsOptions extends Pick<ListenerOptions, 'connect' | 'channel'> {
  readonly connection: Connection
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
export function createHints(options: HintsOptions) {
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

  const onFailure = (): void => void (isReceiving = false)
  const listening = { connect, channel, onMessage: receive, onListening: pulse, onFailure }
  const listener = isOn ? createListener(listening) : undefined

  return {
    /** Announces a new tail; 0 for a removed session. */
    announce: (session: string, tail: number) => {
      if (isOn && pulsesWithOthers > 0) tails.announce(session, tail)
    },

    send: async (session: string, command: string) => {
      const message = JSON.stringify([process, 'command', session, command])
      if (Buffer.byteLength(message) <= MAX_BYTES) await notify([message])
      listeners.notify(session, command)
    },

    onCommand: listeners.subscribe,

    /** Whether notifications are known to arrive. */
    isReceiving: (): boolean => isReceiving,

    close: async () => {
      clearInterval(timer)
      await listener?.close()
    },
  }
}

/** Maximum size of a notification; Postgres requires less than 8,000 bytes. */
const MAX_BYTES = 7_900

/** Creates the announcer of new tails of logs to other processes. Tails that arrive while a notification is being sent join the next one, the newest of each session. */
function createTails(
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
function readTails(
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
