import { type JsonObject, isJsonObject, parseJsonOr } from '../../json/index.ts'
import type { Store } from '../../stores/port/index.ts'

/** The header with the token of a share link; URLs that cannot have headers use the parameter `share`. */
const SHARE_HEADER = 'millrace-share'

/** The file of a session with its share link. No route serves it, and reading it writes nothing. */
export const SHARE_FILE = 'share_link'

/** Requests that read with a share link. Their view is asked for as such. */
export const sharedReads = new WeakSet<Request>()

/** The token of a share link, and its expiry time in milliseconds since the epoch. */
export interface ShareLink {
  readonly token: string
  readonly expiresAt: number
}

interface ShareContext {
  readonly store: Store
  readonly now: () => number
}

/** The place of a share link. A branch has the files of its parent, but another log. */
interface SharePlace {
  readonly session: string
  readonly log: string
}

/** Creates the share link of a session. An earlier link is no longer valid. [SES-7] */
export async function createShare(
  { store, now }: ShareContext,
  place: SharePlace,
  ms: number,
): Promise<ShareLink> {
  const token = toBase64Url(crypto.getRandomValues(new Uint8Array(24)))
  const expiresAt = now() + ms
  await putLink(store, place, { digest: await digest(token), expiresAt })
  return { token, expiresAt }
}

/** Revokes the share link of a session; false if there was none. */
export async function revokeShare(
  { store, now }: ShareContext,
  place: SharePlace,
): Promise<boolean> {
  if ((await findDigest({ store, now }, place)) === undefined) return false
  await putLink(store, place, {})
  return true
}

/** Checks whether a request has the token of a session's share link. */
export async function isShared(
  context: ShareContext,
  request: Request,
  session: string,
): Promise<boolean> {
  const token =
    request.headers.get(SHARE_HEADER) ?? new URL(request.url).searchParams.get('share') ?? ''
  if (token === '') return false
  const info = await context.store.info(session)
  // Digests reveal nothing about how much of a token is right.
  return info !== undefined && (await findDigest(context, info)) === (await digest(token))
}

/** Returns the digest of the valid token of a session; undefined if there is none. */
async function findDigest(
  { store, now }: ShareContext,
  { session, log }: SharePlace,
): Promise<string | undefined> {
  const file = await store.file(session, SHARE_FILE)
  const link = file && parseJsonOr(new TextDecoder().decode(file.bytes), undefined)
  if (!isJsonObject(link) || link['log'] !== log) return undefined
  const { digest: found, expiresAt } = link
  const isValid = typeof expiresAt === 'number' && now() < expiresAt
  return isValid && typeof found === 'string' ? found : undefined
}

async function putLink(
  store: Store,
  { session, log }: SharePlace,
  link: JsonObject,
): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify({ log, ...link }))
  await store.putFile(session, { id: SHARE_FILE, mediaType: 'application/json', bytes })
}

async function digest(token: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return toBase64Url(new Uint8Array(bytes))
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
