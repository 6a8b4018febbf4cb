import { MillraceError } from '../errors/index.ts'
import type { ErrorCode } from '../errors/index.ts'

/** The code that fits a refusal, by status; anything else is a bad request. */
const codes: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  408: 'connection_lost',
  409: 'conflict',
  410: 'cursor_trimmed',
  429: 'connection_lost',
}

/** A connection that failed: reconnecting heals it, unlike any other error. */
export function toLoss(message: string, cause?: unknown): MillraceError {
  return new MillraceError('connection_lost', message, { cause })
}

/** Refuses a response that is no stream, in the server's own words where it gave any. */
export async function checkResponse(response: Response): Promise<void> {
  const { status, headers } = response
  const type = headers.get('content-type')
  if (status === 200 && type?.startsWith('text/event-stream')) return
  const body = (await response.json().catch(() => null)) as Refusal
  const { code = '', message = `The server answered ${status} with ${type}; check the url.` } =
    body?.error ?? {}
  throw new MillraceError(
    status > 499 ? 'connection_lost' : (codes[status] ?? 'bad_request'),
    String(message),
    { details: { status, code: String(code) } },
  )
}

type Refusal = { readonly error?: { readonly code?: unknown; readonly message?: unknown } } | null
