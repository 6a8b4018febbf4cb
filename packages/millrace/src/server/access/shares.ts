import { isMillraceError } from '../../errors/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'

/** The header with the token of a share link; URLs that cannot have headers use the parameter `share`. */
const SHARE_HEADER = 'millrace-share'

/** The claim of a session that belongs to its share link. The holder is the digest of the link's token. */
const SHARE = 'share'

/** A holder that no share link has. It asks for the current one. */
const NOBODY = 'nobody'

/** The token of a share link, and its expiry time in milliseconds since the epoch. */
export interface ShareLink {
  readonly token: string
  readonly expiresAt: number
}

interface ShareContext {
  readonly store: Store
  readonly now: () => number
}

/** Creates the share link of a session. An earlier link is no longer valid. [SES-7] */
export async function createShare(
  { store, now }: ShareContext,
  session: string,
  ms: number,
): Promise<ShareLink> {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  const token = toBase64Url(bytes)
  const holder = await digest(token)
  for (;;) {
    await revokeShare(store, session)
    const claim = await mapStoreErrors(store.claim(session, SHARE, holder, ms))
    // Another request may have created a link meanwhile.
    if (claim.holder === holder) return { token, expiresAt: now() + ms }
  }
}

/** Revokes the share link of a session; false if there was none. */
export async function revokeShare(store: Store, session: string): Promise<boolean> {
  const { holder, remainingMs } = await findShare(store, session)
  if (holder === NOBODY || remainingMs <= 0) return false
  await mapStoreErrors(store.claim(session, SHARE, holder, 0))
  return true
}

/** Checks whether a request has the token of a session's share link. */
export async function isShared(store: Store, request: Request, session: string): Promise<boolean> {
  const token =
    request.headers.get(SHARE_HEADER) ?? new URL(request.url).searchParams.get('share') ?? ''
  if (token === '') return false
  const expected = await digest(token)
  try {
    const { holder, remainingMs } = await findShare(store, session)
    // Digests reveal nothing about how much of a token is right.
    return remainingMs > 0 && holder === expected
  } catch (error) {
    if (isMillraceError(error) && error.code === 'not_found') return false
    throw error
  }
}

/** Reads the claim of the share link, by a request for 0 ms, which changes nothing. */
function findShare(store: Store, session: string) {
  return mapStoreErrors(store.claim(session, SHARE, NOBODY, 0))
}

async function digest(token: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return toBase64Url(new Uint8Array(bytes))
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
