import type { MillraceError } from '../../../errors/index.ts'
import { sessionUnknown } from '../../port/index.ts'
import { createWaits, decodeMessage, type End, type Waits } from '../../remote/index.ts'
import type { Keys } from '../keys.ts'
import type { Subscriber } from './subscriber.ts'
import { createListeners } from '../../../streams/index.ts'
import type { RedisContext } from '../create-redis-context.ts'

/**
 * Waits for frames of sessions in this process. A channel is subscribed before its tail is read, so that no frame is missed; after a
 * connection failure, all tails are read again.
 */
export interface WaitLists extends Pick<Waits, 'wait' | 'append' | 'dismissAll' | 'close'> {
  /** Handles a publication on a session's channel. */
  receive(channel: string, message: string): void
  /** Reads every tail, because publications may have been missed. */
  recheck(): void
}

interface WaitListsOptions {
  readonly keys: Keys
  readonly subscriber: () => Subscriber
  /** Reads the tail and log of a session; throws if no frame can follow. */
  readonly endOf: (session: string) => Promise<End>
  readonly forget: (session: string) => void
}

/**
 * Number of own appends without a wait after which a channel is unsubscribed. Its readers get these appends directly, but each publication
 * would still have to be received. The number is large enough to outweigh the cost of subscribing again.
 */
const MAX_APPENDS_SINCE_WAIT = 16

/** Creates the lists of waiting readers, which messages on channels end. */
export function createWaitLists({ keys, subscriber, endOf, forget }: WaitListsOptions): WaitLists {
  /** Sessions by their subscribed channels. */
  const sessions = new Map<string, string>()
  const waits = createWaits({
    look: async (asked) =>
      new Map(await Promise.all(asked.map(async (name) => [name, await endOf(name)] as const))),
    watch: (session) => {
      const { channel } = keys.session(session)
      sessions.set(channel, session)
      return subscriber().subscribe(channel)
    },
    unwatch: (session) => {
      const { channel } = keys.session(session)
      sessions.delete(channel)
      subscriber().unsubscribe(channel)
    },
    maxAppends: MAX_APPENDS_SINCE_WAIT,
  })

  const ask = (session: string): void =>
    void waits.ask([session]).catch((error: MillraceError) => waits.drop(session, error))

  return {
    ...waits,
    receive: (channel, message) => {
      const session = sessions.get(channel)
      if (session === undefined) return
      if (message === 'gone') {
        forget(session)
        waits.drop(session, sessionUnknown(session))
      } else if (message === 'lost') ask(session)
      else if (/^\d{1,15}$/.test(message)) waits.advance(session, Number(message))
    },
    recheck: () => waits.known().forEach(ask),
  }
}

/** Commands between processes. A disconnected process misses them. */
export function createCommands({ connection, keys }: Pick<RedisContext, 'connection' | 'keys'>) {
  const listeners = createListeners<[session: string, command: string]>()
  const process = crypto.randomUUID()

  return {
    send: async (session: string, command: string) => {
      const message = JSON.stringify([process, session, command])
      // Not repeatable: after a lost reply, the publication may have arrived, and a second one would be another command.
      await connection.send('publish', [keys.commands, message], { isRepeatable: false })
      listeners.notify(session, command)
    },

    onCommand: listeners.subscribe,

    /** Handles a publication on the channel of commands. */
    receive: (message: string) => {
      const [sender, session, command] = decodeMessage(message)
      // Local listeners were called when it was sent.
      if (sender === process || typeof session !== 'string' || typeof command !== 'string') return
      listeners.notify(session, command)
    },
  }
}
