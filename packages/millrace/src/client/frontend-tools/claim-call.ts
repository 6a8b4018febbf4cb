import { ask } from '../transport/http/ask.ts'
import { checkResponse } from '../transport/http/loss.ts'
import { holderOf } from './claim-holder.ts'
import type { Session } from '../session.ts'

/** Result of a claim on a call. */
export interface CallClaim {
  /** Whether this session holds the claim. */
  readonly claimed: boolean
  /** Time when the claim lapses, by the server's clock, in milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Response to a claim: granted, or refused with the end of the holder's claim. */
interface ClaimBody {
  readonly expires_at?: string
  readonly error?: { readonly expires_at?: string }
}

/**
 * Claims a call that is pending for the browser, or renews the claim, so that only one of several tabs runs it. A call that is no longer
 * pending is refused with `not_found`.
 */
export async function claimCall(session: Session, callId: string): Promise<CallClaim> {
  const holder = holderOf(session)
  const response = await ask(session, 'tool_claims', { tool_use_id: callId, client_id: holder })
  const claimed = response.ok
  if (!claimed && response.status !== 409) await checkResponse(response)
  const body = (await response.json()) as ClaimBody
  return { claimed, expiresAt: Date.parse(body.expires_at ?? body.error?.expires_at ?? '') }
}
