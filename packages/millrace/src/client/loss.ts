import { MillraceError } from '../errors/index.ts'
import type { ErrorCode } from '../errors/index.ts'

/** The refusals that are more than a bad request, by status; `details.code` has the server's own word. */
const codes: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  408: 'connection_lost',
  429: 'connection_lost',
}

/** A connection that failed: reconnecting heals it, unlike any other error. */
export function toLoss(message: string, cause?: unknown): MillraceError {
  return new MillraceError('connection_lost', message, { cause })
}

/** Refuses a response that is no stream, in the server's own words where it gave any. */
export async function checkResponse(response: Response): Promise<void> {
  const { status } = response
  const type = response.headers.get('content-type')
  if (status === 200 && type?.startsWith('text/event-stream')) return
  const body = (await response.json().catch(() => null)) as Refusal
  const { code = '', message = `The server answered ${status} with ${type}; check the url.` } =
    body?.error ?? {}
  throw new MillraceError(
    status > 499 ? 'connection_lost' : (codes[status] ?? 'bad_request'),
    message,
    { details: { status, code } },
  )
}

/** What our server says; of another one nothing more is asked than that it can be shown. */
type Refusal = { readonly error?: { readonly code?: string; readonly message?: string } } | null
