import { badRequest, MillraceError } from '../../errors/index.ts'
import type { JsonValue } from '../../json/index.ts'
import type { HandlerOptions } from '../handler-options.ts'

/** The sender of a request. */
export interface Identity {
  /** The context of the request; absent without the option `context`. */
  readonly context?: JsonValue
  /** The owner of sessions that the request creates; null without the option `owner`. */
  readonly owner: string | null
  /** Whether the request only reaches sessions of its owner. */
  readonly isScoped: boolean
  /** Whether the request reads a session with a share link. */
  readonly isShared?: true
  /** The user who is recorded with decisions; null if unknown. */
  readonly user: string | null
  /** The name under which its streams, runs and uploads are counted; absent if they are not. */
  readonly quotaKey?: string
}

/** Finds the sender of a request. */
export type Identify = (request: Request) => Promise<Identity>

/** Maximum characters of a context as JSON: it is stored with each run. */
const MAX_CONTEXT_CHARS = 16_384

/** The sender of a request to a server without owners. */
export const unknownSender: Identity = { owner: null, user: null, isScoped: false }

/** Creates the function that finds the sender of a request, once for each request. [SES-6] */
export function createIdentify({
  context,
  owner,
  user,
}: Pick<HandlerOptions, 'context' | 'owner' | 'user'>): Identify {
  if ((context === undefined) !== (owner === undefined)) {
    throw badRequest(
      context === undefined
        ? '`owner` is a function of the context; add `context: (request) => …` to the options.'
        : '`context` needs `owner: (context) => …`, which names the owner of a session; without it all users would share all sessions.',
    )
  }
  if (context === undefined || owner === undefined) return async () => unknownSender
  const known = new WeakMap<Request, Promise<Identity>>()
  const identify = async (request: Request): Promise<Identity> =>
    toIdentity(await context(request), { owner, ...(user !== undefined && { user }) })
  return (request) => {
    const found = known.get(request) ?? identify(request)
    known.set(request, found)
    return found
  }
}

/** The functions that read a context. */
type ContextReaders = Pick<HandlerOptions, 'user'> & Required<Pick<HandlerOptions, 'owner'>>

/** Returns the identity of a context. [SES-6] */
export function toIdentity(
  context: unknown,
  { owner, user: userOf = owner }: ContextReaders,
): Identity {
  const value = toStorable(context)
  const name: unknown = owner(value)
  if (name === null) throw notSignedIn()
  // A session without an owner, or a list of all sessions, would be the result.
  if (typeof name !== 'string') throw ownerInvalid(name)
  const user = userOf(value) ?? null
  return { context: value, owner: name, user, isScoped: true, quotaKey: user ?? name }
}

/** Returns a context as a recovered run gets it from the store. */
function toStorable(value: unknown): JsonValue {
  const text = JSON.stringify(value) as string | undefined
  if (text !== undefined && text.length <= MAX_CONTEXT_CHARS) return JSON.parse(text) as JsonValue
  throw new MillraceError(
    'internal',
    `\`context\` must return a JSON value of at most ${MAX_CONTEXT_CHARS} characters, because it is stored with each run.`,
  )
}

function ownerInvalid(name: unknown): MillraceError {
  return new MillraceError(
    'internal',
    `\`owner\` returned a value of type ${typeof name}; return a string, or null to refuse the request. It cannot be asynchronous: read what it needs in \`context\`.`,
  )
}

function notSignedIn(): MillraceError {
  return new MillraceError(
    'unauthorized',
    'The server does not know who sends this request; sign in, and send it again.',
  )
}
