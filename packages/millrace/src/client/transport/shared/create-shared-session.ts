import { createSession } from '../../create-session.ts'
import { createSessionId } from '../../session-id.ts'
import type { Session, SessionOptions } from '../../session.ts'
import { createSharedFetch } from './shared-fetch.ts'
import { openTabChannel, type TabChannel, type TabLocks } from './tab-channel.ts'
import { TabInbox } from './tab-inbox.ts'

/** How a session is shared between the tabs that show it. */
export interface SharedSessionOptions extends SessionOptions {
  /**
   * Tells apart tabs that must not share what they read, such as those of people with different rights; a function is
   * asked each time, as it may change with a token.
   */
  readonly shareKey?: string | (() => string)
  /** A tab that reads for all and says nothing for this long when it is asked is taken for dead. */
  readonly leaderTimeoutMs?: number
  /** Frames that are kept for a tab which does not read them at the moment; what is beyond is read from the server. */
  readonly maxHeldFrames?: number
  readonly locks?: TabLocks | undefined
  readonly createChannel?: ((name: string) => TabChannel) | undefined
}

/**
 * Opens a conversation that several tabs of a browser show: one of them reads its stream for all, whichever asks,
 * answers or stops; when that one goes, another reads on. A tab at rest follows what the others do. Where there are no
 * Web Locks or no `BroadcastChannel`, each tab reads for itself.
 */
export function createSharedSession({
  shareKey = '',
  leaderTimeoutMs = 2_000,
  maxHeldFrames = 2_000,
  locks = globalThis.navigator?.locks,
  createChannel = globalThis.BroadcastChannel && openTabChannel,
  ...options
}: SharedSessionOptions): Session {
  if (!locks || !createChannel) return createSession(options)
  const { session: id = createSessionId(), fetch = globalThis.fetch } = options
  const toName = (): string =>
    `millrace ${typeof shareKey === 'string' ? shareKey : shareKey()} ${options.url} ${id}`
  const inbox = new TabInbox({ createChannel, maxHeldFrames, onNews: follow })
  inbox.join(toName())
  const session = createSession({
    ...options,
    session: id,
    fetch: createSharedFetch({
      fetch: (url, init) => fetch(url, init),
      locks,
      inbox,
      toName,
      leaderTimeoutMs,
    }),
  })

  function follow(): void {
    const { connection, transcript } = session.getSnapshot()
    const isAtRest = connection.state === 'idle' && transcript.lastId > 0
    if (isAtRest && inbox.position > transcript.lastId) void session.watch()
  }

  return {
    ...session,
    close() {
      session.close()
      inbox.close()
    },
  }
}
