import { MillraceError } from '../errors/index.ts'
import type { Store } from '../store/index.ts'

/** Who is about to answer a call. */
export interface Claim {
  readonly clientId: string
  /** Since when, and until when if it is not renewed; milliseconds of this server's clock. */
  readonly since: number
  readonly expiresAt: number
}

/** Which client is to answer which call. Results are taken from anybody: a claim only keeps tabs from doing a thing twice. */
export interface Claims {
  /** Claims a call, or renews the claim; throws `conflict` while another client holds it. */
  take(session: string, toolUseId: string, clientId: string): Claim
  close(): void
}

/** What claims are kept with. */
export interface ClaimsOptions {
  readonly store: Store
  /** Who this server is among those that share its store. */
  readonly node: string
  readonly claimMs: number
  readonly maxClaims: number
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Claims that are this close together were granted at once. */
const raceMs = 1_000

const newsPrefix = '{"type":"claim",'

/** What servers tell each other of a claim, without their clocks. */
interface ClaimNews {
  readonly type: 'claim'
  readonly node: string
  readonly toolUseId: string
  readonly clientId: string
  readonly heldMs: number
  readonly claimMs: number
}

/**
 * Builds claims that live in the memory of this server, not in the session's record: whoever writes that becomes its
 * writer, and a claim must never end a run. Servers that share a store tell each other; of two that granted the same
 * call at once, both keep the claim that is held longer.
 */
export function createClaims(options: ClaimsOptions): Claims {
  const { store, node, claimMs, maxClaims, now, onError } = options
  // A Map keeps the order in which keys were set, which is that in which claims lapse.
  const claims = new Map<string, Claim>()

  const find = (key: string): Claim | undefined => {
    const claim = claims.get(key)
    return claim !== undefined && claim.expiresAt > now() ? claim : undefined
  }

  const keep = (key: string, claim: Claim): void => {
    claims.delete(key)
    claims.set(key, claim)
  }

  /** Forgets claims that have lapsed; tells whether there is room for another one. */
  const makeRoom = (): boolean => {
    for (const [key, { expiresAt }] of claims) {
      if (expiresAt > now()) break
      claims.delete(key)
    }
    return claims.size < maxClaims
  }

  const tell = (session: string, toolUseId: string, { clientId, since }: Claim): void => {
    const heldMs = now() - since
    const news: ClaimNews = { type: 'claim', node, toolUseId, clientId, heldMs, claimMs }
    store.send(session, JSON.stringify(news)).catch(onError)
  }

  const hear = (session: string, command: string): void => {
    const news = decodeNews(command)
    if (news === undefined || news.node === node) return
    const { toolUseId, clientId, heldMs } = news
    const key = keyOf(session, toolUseId)
    const heard = { clientId, since: now() - heldMs, expiresAt: now() + news.claimMs }
    const held = find(key)
    if (held !== undefined && held.clientId !== clientId && isElder(held, heard)) return
    if (held !== undefined || makeRoom()) keep(key, heard)
  }

  const unsubscribe = store.onCommand(hear)

  return {
    take: (session, toolUseId, clientId) => {
      const key = keyOf(session, toolUseId)
      const held = find(key)
      if (held !== undefined && held.clientId !== clientId) throw isHeld(toolUseId, held)
      if (held === undefined && !makeRoom()) throw noRoom(maxClaims)
      const claim = { clientId, since: held?.since ?? now(), expiresAt: now() + claimMs }
      keep(key, claim)
      tell(session, toolUseId, claim)
      return claim
    },
    close: unsubscribe,
  }
}

function keyOf(session: string, toolUseId: string): string {
  return `${session} ${toolUseId}`
}

/** Which of two claims counts: the same answer on every server, though news take a moment to arrive. */
function isElder(one: Claim, other: Claim): boolean {
  const isRace = Math.abs(one.since - other.since) < raceMs
  return isRace ? one.clientId < other.clientId : one.since < other.since
}

function decodeNews(command: string): ClaimNews | undefined {
  // Other commands may be large, and are none of ours.
  return command.startsWith(newsPrefix) ? (JSON.parse(command) as ClaimNews) : undefined
}

function isHeld(toolUseId: string, { clientId, expiresAt }: Claim): MillraceError {
  const until = new Date(expiresAt).toISOString()
  return new MillraceError(
    'conflict',
    `Call ${toolUseId} is claimed by ${clientId} until ${until}; watch for its result, or claim it again after that.`,
    { details: { client_id: clientId, expires_at: until } },
  )
}

function noRoom(maxClaims: number): MillraceError {
  return new MillraceError(
    'overloaded',
    `The server keeps ${maxClaims} claims, which is all it may; try again in a moment.`,
  )
}
