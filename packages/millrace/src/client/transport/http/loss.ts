import { MillraceError } from '../../../errors/index.ts'

/** Throws that the connection failed: reconnecting heals it, unlike any other error. */
export function throwLoss(cause: unknown): never {
  throw new MillraceError('connection_lost', `Connection lost: ${String(cause)}`, { cause })
}

/** Refuses a response that is no stream, in the server's own words where it gave any. */
export async function checkResponse(response: Response): Promise<void> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!response.ok || !isStream) await checkRefusal(response, true)
}

/** Refuses a response that says no, or any with `isWrong`. */
export async function checkRefusal(response: Response, isWrong = !response.ok): Promise<void> {
  if (!isWrong) return
  const { status, headers } = response
  const type = headers.get('content-type')
  const body = (await response.json().catch(() => null)) as Refusal
  const {
    code = '',
    reason = '',
    message = `${status} ${type}: check the url.`,
  } = body?.error ?? {}
  // What may go another way next time; `details.code` has the server's own word.
  const isPassing = /408|429|5../.test(`${status}`)
  throw new MillraceError(
    status === 404
      ? 'not_found'
      : isPassing
        ? 'connection_lost'
        : status === 410 && code.startsWith('log_')
          ? 'log_replaced'
          : 'bad_request',
    message,
    {
      details: {
        status,
        code,
        reason,
        // A minute at most: the server's clock or its proxy may be wrong.
        retryAfterMs: Math.min(60_000, Number(headers.get('retry-after')) * 1_000 || 0),
      },
    },
  )
}

/** What our server says; of another one nothing more is asked than that it can be shown. */
type Refusal = {
  readonly error?: { readonly code?: string; readonly reason?: string; readonly message?: string }
} | null
