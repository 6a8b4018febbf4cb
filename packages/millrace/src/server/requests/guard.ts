import { MillraceError } from '../../errors/index.ts'

/** From where a server takes requests. */
export interface GuardOptions {
  /** Names besides `localhost` and plain addresses, with or without a port; `*` allows any. */
  readonly allowedHosts: readonly string[]
  /** Origins of other sites whose pages may use this server, such as `https://app.example`. */
  readonly allowedOrigins: readonly string[]
}

/** Headers of every response that does not have its own: nothing is guessed, framed, cached or told on. */
const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Headers that a page of another site may read besides the plainest. */
const exposedHeaders =
  'content-disposition, millrace-forked-after, millrace-log, retry-after, x-millrace-session'

/** How long a browser may remember what a preflight was answered. */
const preflightSeconds = 600

/** Refuses requests under a name or from a page that is not allowed. */
export function checkSource(request: Request, options: GuardOptions): void {
  const host = hostOf(request)
  if (!isHost(host)) {
    throw new MillraceError(
      'bad_request',
      `The header \`host: ${host.slice(0, 120)}\` names no host; send the name or the address of this server, such as localhost:8787.`,
    )
  }
  if (!isAllowedHost(host, options.allowedHosts)) {
    throw new MillraceError(
      'forbidden',
      `This server does not answer under the name ${host.slice(0, 120)}; add it to allowedHosts if it should.`,
    )
  }
  const origin = request.headers.get('origin')
  if (origin === null || isSameHost(origin, host) || options.allowedOrigins.includes(origin)) return
  throw new MillraceError(
    'forbidden',
    `Pages of ${origin.slice(0, 120)} may not use this server; add it to allowedOrigins if they should.`,
  )
}

/** Puts on a response what browsers must know before they let a page have it. */
export function guardResponse(
  request: Request,
  response: Response,
  { allowedOrigins }: GuardOptions,
): Response {
  // A response that was handed in may have headers that cannot be changed.
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

/** Answers the question that a browser asks before it lets a page of another site send JSON. */
export function toPreflightResponse(): Response {
  const headers = {
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    // TanStack AI sends the id of a run in a header as well.
    'access-control-allow-headers':
      'authorization, content-type, idempotency-key, last-event-id, millrace-log, prefer, x-run-id',
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
 * A page that makes its own name point at this machine still sends that name, so names are refused unless
 * known; a plain address cannot be forged that way.
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

/** A name or an address that a URL can have, with or without a port: `256.1.1.1` is neither. */
function isHost(host: string): boolean {
  return /^[^\s/?#@\\]+$/.test(host) && URL.canParse(`http://${host}`)
}

function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}
