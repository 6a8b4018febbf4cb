import { createSession } from '../http/http-session.ts'
import { createSessionId } from '../../session-id.ts'
import type { Session, SessionOptions } from '../../session.ts'
import { createSharedFetch } from './shared-fetch.ts'
import { openTabChannel, type TabChannel, type TabLocks } from './tab-channel.ts'
import { TabInbox } from './tab-inbox.ts'

/** Options of a session that tabs share. */
export interface SharedSessionOptions extends SessionOptions {
  /**
   * Separates tabs that must not share frames, such as those of users with different rights. A function is called each time, because the
   * key may change with a token.
   */
  readonly shareKey?: string | (() => string)
  /** Time after which a reading tab that does not reply is considered dead. */
  readonly leaderTimeoutMs?: number
  /** Maximum number of frames held for a tab that is not reading; it reads further ones from the server. */
  readonly maxHeldFrames?: number
  readonly locks?: TabLocks | undefined
  readonly createChannel?: ((name: string) => TabChannel) | undefined
}

/**
 * Creates a session that several tabs of a browser share. One tab reads its stream for all, regardless of which tab sends prompts, answers
 * or stops; when it closes, another takes over. An idle tab follows the others. Without Web Locks or `BroadcastChannel`, each tab reads for
 * itself.
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
