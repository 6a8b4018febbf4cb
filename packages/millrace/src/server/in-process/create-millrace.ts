import { badRequest } from '../../errors/index.ts'
import { createLocalCaller } from '../access/caller.ts'
import { type Identity, toIdentity, unknownSender } from '../access/identity.ts'
import { type Handler, openServer } from '../handler.ts'
import type { HandlerOptions } from '../handler-options.ts'
import { createSessions } from './create-sessions.ts'
import type { Sessions } from './sessions.ts'

/** A server without a socket, for HTTP and for code in its process. */
export interface Millrace<Context = unknown> extends Handler {
  /** The commands for trusted code: without an owner, without a check, over all sessions. */
  readonly sessions: Sessions
  /** Returns the commands for the owner of a context, which reach only the sessions of that owner. */
  as(context: Context): Sessions
}

/** Creates a server for HTTP and for code in its process. Does not close the store. */
export function createMillrace<Context = unknown>(
  given: HandlerOptions<Context>,
): Millrace<Context> {
  // Its functions are called with values of its own type of context.
  const options = given as HandlerOptions
  const { handler, context } = openServer('createMillrace', options)
  const { owner, user } = options
  const sessionsOf = (identity: Identity): Sessions =>
    createSessions(context, createLocalCaller(context, identity))
  return {
    ...handler,
    sessions: sessionsOf(unknownSender),
    as: (value) => {
      if (owner === undefined) throw ownersMissing()
      return sessionsOf(toIdentity(value, { owner, ...(user !== undefined && { user }) }))
    },
  }
}

function ownersMissing() {
  return badRequest(
    '`as(context)` needs the options `context` and `owner` of `createMillrace`, which name the owner of a session; use `sessions` on a server without owners.',
  )
}
