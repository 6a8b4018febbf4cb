import type { SessionInfo } from '../../stores/port/index.ts'
import type { Action } from '../handler-options.ts'
import { namedLog } from '../requests/cursor.ts'
import type { ServerContext } from '../server-context.ts'
import { sessionMissing } from '../sessions/load-session.ts'
import type { ViewRules } from '../views/view-rules.ts'
import { checkAccess, isReached, maySee } from './check-access.ts'
import type { Identity } from './identity.ts'

/** The sender of a request, or code in this process: the rules for both, and data that comes beside the content of a command. */
export interface Caller {
  /** Returns its identity; throws unless it may do this to the session. */
  readonly check: (action: Action, session: string | undefined) => Promise<Identity>
  /** Checks whether it may see a session in a list. */
  readonly maySee: (sender: Identity, info: SessionPlace) => Promise<boolean>
  readonly identify: () => Promise<Identity>
  /** The content of a session that is hidden from it. */
  readonly viewOf: (session: string) => Promise<ViewRules | undefined>
  /** The key of its command, unless the content has it. [CMD-2] */
  readonly key?: string | undefined
  /** The log that it expects. [LOG-12] */
  readonly log?: string | undefined
}

type SessionPlace = Pick<SessionInfo, 'session' | 'owner'>

/** Creates the caller of a request. */
export function toCaller(context: ServerContext, request: Request): Caller {
  return {
    check: (action, session) => checkAccess(context, request, action, session),
    maySee: (sender, info) => maySee(context, request, sender, info),
    identify: () => context.identify(request),
    viewOf: (session) => context.viewOf(request, session),
    key: request.headers.get('idempotency-key') ?? undefined,
    log: namedLog(request),
  }
}

/**
 * Creates the caller for code in this process. With an owner it reaches only the sessions of that owner. Without one it is trusted with
 * all of them, and acts for the owner of each. `authorize` and `view` are functions of requests, of which it has none. [SES-6]
 */
export function createLocalCaller({ store, runs }: ServerContext, identity: Identity): Caller {
  return {
    check: async (action, session) => {
      // As with the first request.
      runs.start()
      const info = session === undefined ? undefined : await store.info(session)
      if (session !== undefined && !isReached(identity, info, action)) throw sessionMissing(session)
      return identity.isScoped ? identity : { ...identity, owner: info?.owner ?? null }
    },
    maySee: async (sender, info) => isReached(sender, info, 'read'),
    identify: async () => identity,
    viewOf: async () => undefined,
  }
}
