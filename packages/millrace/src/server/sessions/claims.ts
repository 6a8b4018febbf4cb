import { MillraceError } from '../../errors/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { ServerContext } from '../server-context.ts'

/** The claim of a client that is about to answer a call. */
interface CallClaim {
  readonly session: string
  readonly toolUseId: string
  readonly clientId: string
}

/**
 * Claims a call for a client, or renews its claim; resolves with its expiry time. Throws `conflict` while another
 * client holds it. Results are accepted from any client: a claim only keeps pages from running a tool twice. The store
 * grants claims, so that all its servers agree.
 */
export async function claimCall(
  { store, limits: { claimMs }, now }: Pick<ServerContext, 'store' | 'limits' | 'now'>,
  { session, toolUseId: callId, clientId }: CallClaim,
): Promise<string> {
  const claim = store.claim(session, callId, clientId, claimMs)
  const { holder, remainingMs } = await mapStoreErrors(claim)
  const expiresAt = new Date(now() + remainingMs).toISOString()
  if (holder === clientId) return expiresAt
  throw new MillraceError(
    'conflict',
    `Call ${callId} is claimed by ${holder} until ${expiresAt}; wait for its result, or claim it after that time.`,
    { details: { client_id: holder, expires_at: expiresAt } },
  )
}
