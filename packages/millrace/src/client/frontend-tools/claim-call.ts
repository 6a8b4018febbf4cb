import { ask } from '../transport/http/ask.ts'
import { checkResponse } from '../transport/http/loss.ts'
import { holderOf } from './claim-holder.ts'
import type { Session } from '../session.ts'

/** Who is to run a call. */
export interface CallClaim {
  /** Whether it is this session. */
  readonly claimed: boolean
  /** When the claim lapses, by the server's clock, in milliseconds since the epoch. */
  readonly expiresAt: number
}

/** What a claim is answered with: granted, or refused with the holder's. */
interface ClaimBody {
  readonly expires_at?: string
  readonly error?: { readonly expires_at?: string }
}

/**
 * Claims a call that waits for the browser before it is run, or renews the claim, so that of several tabs one runs
 * it. A call that waits no more is refused with `not_found`.
 */
export async function claimCall(session: Session, toolUseId: string): Promise<CallClaim> {
  const holder = holderOf(session)
  const response = await ask(session, 'tool_claims', { tool_use_id: toolUseId, client_id: holder })
  const claimed = response.ok
  if (!claimed && response.status !== 409) await checkResponse(response)
  const body = (await response.json()) as ClaimBody
  return { claimed, expiresAt: Date.parse(body.expires_at ?? body.error?.expires_at ?? '') }
}
