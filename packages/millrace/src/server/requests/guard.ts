import { badRequest, MillraceError } from '../../errors/index.ts'
import { parseUrl } from '../../outbound/index.ts'

/** Hosts and origins from which a server accepts requests. */
interface GuardOptions {
  /** Host names besides `localhost` and IP addresses, with or without a port; `*` allows any. */
  readonly allowedHosts: readonly string[]
  /** Origins of other sites whose pages may use this server, such as `https://app.example`. */
  readonly allowedOrigins: readonly string[]
}

/** Default headers of every response: no sniffing, framing, caching or referrer. */
const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Headers that pages of other origins may read. */
const exposedHeaders =
  'content-disposition, millrace-forked-after, millrace-log, retry-after, x-millrace-session'

/** Time for which browsers may cache a preflight response. */
const preflightSeconds = 600

/** Rejects requests with a host or from an origin that is not allowed. */
export function checkSource(request: Request, options: GuardOptions): void {
  const host = hostOf(request)
  if (!isHost(host)) {
    throw badRequest(
      `The header \`host: ${host.slice(0, 120)}\` is invalid; send the name or address of the server, such as localhost:8787.`,
    )
  }
  if (!isAllowedHost(host, options.allowedHosts)) {
    throw new MillraceError(
      'forbidden',
      `The host ${host.slice(0, 120)} is not allowed; add it to allowedHosts.`,
    )
  }
  const origin = request.headers.get('origin')
  if (origin === null || isSameHost(origin, host) || options.allowedOrigins.includes(origin)) return
  throw new MillraceError(
    'forbidden',
    `The origin ${origin.slice(0, 120)} is not allowed; add it to allowedOrigins.`,
  )
}

/** Adds security and CORS headers to a response. */
export function guardResponse(
  request: Request,
  response: Response,
  { allowedOrigins }: GuardOptions,
): Response {
  // The headers of a foreign response may be immutable.
  const guarded = new Response(response.body, response)
  const { headers } = guarded
  const origin = request.headers.get('origin')
  if (allowedOrigins.length > 0) headers.append('vary', 'Origin')
  if (origin !== null && allowedOrigins.includes(origin)) allowOrigin(headers, origin)
  for (const [name, value] of Object.entries(securityHeaders)) {
    if (!headers.has(name)) headers.set(name, value)
  }
  return guarded
}

/** Responds to preflight requests of browsers. */
export function toPreflightResponse(): Response {
  const headers = {
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    // TanStack AI also sends the id of a run in a header.
    'access-control-allow-headers':
      'authorization, content-type, idempotency-key, last-event-id, millrace-log, millrace-share, prefer, x-run-id',
    'access-control-max-age': String(preflightSeconds),
  }
  return new Response(null, { status: 204, headers })
}

function allowOrigin(headers: Headers, origin: string): void {
  headers.set('access-control-allow-origin', origin)
  headers.set('access-control-expose-headers', exposedHeaders)
  headers.set('cross-origin-resource-policy', 'cross-origin')
}

function hostOf(request: Request): string {
  return (request.headers.get('host') ?? new URL(request.url).host).toLowerCase()
}

/**
 * Whether a host is allowed. Unknown names are rejected, because a page can point its own name at this machine (DNS rebinding);
 * it cannot forge an IP address.
 */
function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, '')
  if (name === 'localhost' || name.endsWith('.localhost') || isAddress(name)) return true
  return allowed.some(
    (one) => one === '*' || one.toLowerCase() === host || one.toLowerCase() === name,
  )
}

function isAddress(name: string): boolean {
  return /^\[[0-9a-f:.]+\]$/.test(name) || /^\d{1,3}(\.\d{1,3}){3}$/.test(name)
}

/** Whether a host is valid in a URL, with or without a port: `256.1.1.1` is not. */
function isHost(host: string): boolean {
  return /^[^\s/?#@\\]+$/.test(host) && parseUrl(`http://${host}`) !== undefined
}

function isSameHost(origin: string, host: string): boolean {
  return parseUrl(origin)?.host === host
}

const addresses = new WeakMap<Request, string>()

/**
 * Sets the remote address of a request, which limits uploads of unknown users. `serve` does this; other platforms can call it
 * before `handler.fetch` with the same request.
 */
export function setClientAddress(request: Request, address: string): void {
  addresses.set(request, address)
}

/** Returns the remote address of a request, if the platform has set one. */
export function clientAddressOf(request: Request): string | undefined {
  return addresses.get(request)
}

/** The cookie with the token, for images and downloads, where a page cannot set headers. */
const tokenCookie = 'millrace_token'

/** Throws unless a request has the token of the server. */
export type TokenCheck = (request: Request) => Promise<void>

/** Creates the token check; without a token every request passes. */
export function createTokenCheck(token: string | undefined): TokenCheck {
  if (token === undefined) return async () => {}
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw badRequest(
      'The option `token` must be at least one visible ASCII character, without spaces.',
    )
  }
  const expected = digest(token)
  return async (request) => {
    const sent = bearerOf(request) ?? cookieOf(request)
    if (sent !== undefined && isEqual(await digest(sent), await expected)) return
    throw new MillraceError(
      'unauthorized',
      sent === undefined
        ? 'The server requires a token; send it as `authorization: Bearer TOKEN`.'
        : 'The token is wrong; ask the operator of the server for the right one.',
      // Distinguishes a wrong token from one that a proxy removed.
      { details: { token: sent === undefined ? 'missing' : 'wrong' } },
    )
  }
}

function bearerOf({ headers }: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
}

function cookieOf({ headers }: Request): string | undefined {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const found = pairs.find((pair) => pair.startsWith(`${tokenCookie}=`))
  return found?.slice(tokenCookie.length + 1)
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

/** Compares in constant time, so that a token cannot be found byte by byte. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = 0
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0)
  return difference === 0
}
