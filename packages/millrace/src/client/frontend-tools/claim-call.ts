import { ask } from '../transport/http/ask.ts'
import { checkResponse } from '../transport/http/check-response.ts'
import type { Session } from '../session.ts'
import { createSessionId } from '../session-id.ts'

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

const NAME = 'millrace.tab'

/** APIs of a page that other platforms may lack. */
const page: Partial<Pick<typeof globalThis, 'sessionStorage' | 'addEventListener'>> = globalThis

const holders = new WeakMap<Session, string>()
const counts = new Map<string, number>()
let tab: string | undefined

/** Returns the holder name of a session's claims. It survives a reload of the tab, and differs for each session in a page. */
function holderOf(session: Session): string {
  const known = holders.get(session)
  if (known) return known
  tab ??= takeTab()
  const count = counts.get(session.id) ?? 0
  counts.set(session.id, count + 1)
  const holder = `${tab}.${count}`
  holders.set(session, holder)
  return holder
}

/** Removes the tab's name from its storage while the page is open, because a duplicated tab copies the storage. */
function takeTab(): string {
  const name = stored() ?? createSessionId()
  stored('')
  page.addEventListener?.('pagehide', () => stored(name))
  page.addEventListener?.('pageshow', () => stored(''))
  return name
}

/** Reads or writes the name. A page may have no storage, or no access to it. */
function stored(name?: string): string | undefined {
  try {
    if (name !== undefined) page.sessionStorage?.setItem(NAME, name)
    return page.sessionStorage?.getItem(NAME) || undefined
  } catch {
    return undefined
  }
}
