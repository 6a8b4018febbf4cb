import { MillraceError } from '../../../errors/index.ts'

/** Throws a connection failure, the only error that is retried. */
export function failConnection(cause: unknown): never {
  throw new MillraceError('connection_lost', `Connection lost: ${String(cause)}`, { cause })
}

/** Throws for a response that is not a stream, with the server's message if there is one. */
export async function checkResponse(response: Response): Promise<void> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!response.ok || !isStream) await checkRefusal(response, true)
}

/** Throws for an error response, or for any response with `isWrong`. */
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
  // Temporary errors. `details.code` has the server's code.
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
        // At most a minute, because the clock of the server or its proxy may be wrong.
        retryAfterMs: Math.min(60_000, Number(headers.get('retry-after')) * 1_000 || 0),
      },
    },
  )
}

/** Error of our server. Other servers may send any body. */
type Refusal = {
  readonly error?: { readonly code?: string; readonly reason?: string; readonly message?: string }
} | null

/** Converts the error of an exchange. If the exchange looks for a sent prompt, an unknown session means that the prompt did not arrive. */
export function toExchangeError(cause: unknown, isLook: boolean): MillraceError {
  if (!(cause instanceof MillraceError)) {
    return new MillraceError('internal', String(cause), { cause })
  }
  return isLook && cause.code === 'not_found' ? promptUnsent() : cause
}

/** Creates the error of a prompt that is not in the log. */
export function promptUnsent(): MillraceError {
  return new MillraceError('prompt_unsent', 'The prompt did not arrive. Send it again.')
}
