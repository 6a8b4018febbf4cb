import { MillraceError } from '../errors/index.ts'
import type { ErrorCode } from '../errors/index.ts'
import { isJsonObject } from '../json/index.ts'
import type { JsonObject } from '../json/index.ts'

/** Statuses that say "not now" rather than "no". */
const passing = new Set([408, 425, 429])

/** The code that fits a refusal, by status; anything else is a bad request. */
const codes: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  409: 'conflict',
  410: 'cursor_trimmed',
}

/** A connection that failed without telling what became of the request. */
export function toLoss(message: string, cause?: unknown): MillraceError {
  return new MillraceError('connection_lost', message, { cause })
}

/** Tells whether an error is a loss, which reconnecting heals, rather than a refusal, which it does not. */
export function isLoss(error: MillraceError): boolean {
  return error.code === 'connection_lost' || error.code === 'stream_truncated'
}

/** How long the server asked to stay away, or 0. */
export function retryAfterOf(error: MillraceError): number {
  return Number(error.details['retryAfterMs'] ?? 0)
}

/** What is wrong with a response, in the server's own words where it gave any; undefined for a stream. */
export async function faultOf(response: Response): Promise<MillraceError | undefined> {
  const { status, headers } = response
  const type = headers.get('content-type') ?? 'no content type'
  if (status === 200 && type.startsWith('text/event-stream')) return undefined
  const { code = '', message = `The server answered ${status} with ${type}. Check the url.` } =
    type.startsWith('application/json') ? await toldBy(response) : {}
  const lost = status > 499 || passing.has(status)
  return new MillraceError(
    lost ? 'connection_lost' : (codes[status] ?? 'bad_request'),
    String(message),
    {
      details: {
        status,
        code: String(code),
        retryAfterMs: 1000 * (Number(headers.get('retry-after')) || 0),
      },
    },
  )
}

/** The `{error: {code, message}}` of a refusal. */
async function toldBy(response: Response): Promise<JsonObject> {
  const body: unknown = await response.json().catch(() => undefined)
  const told = isJsonObject(body) ? body['error'] : undefined
  return isJsonObject(told) ? told : {}
}
