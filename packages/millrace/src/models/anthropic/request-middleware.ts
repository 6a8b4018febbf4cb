import type { Middleware } from '@anthropic-ai/sdk'

import type { Permit } from '../../events/index.ts'
import { permitRequest, toCheckedOptions } from '../stream/index.ts'
import { isPermanent } from './reader/failure.ts'

/**
 * Checks the permit of a run before each attempt of a request. The SDK calls middleware once an attempt. The `fetch` of a client that
 * Millrace created checks it again, because the SDK waits in between.
 */
export function permitAttempts(permit: Permit | undefined, signal: AbortSignal): Middleware {
  return async (request, next) => {
    const check = (): Promise<void> | undefined => permitRequest(permit, signal)
    const asking = check()
    if (asking !== undefined) await asking
    return next({ ...request, ...toCheckedOptions(check) })
  }
}

/** Checks whether a client calls middleware. Older clients and wrappers may not. */
export function callsMiddleware(client: object): boolean {
  return 'middleware' in client && Array.isArray(client.middleware)
}

/** Prevents SDK retries after a spend limit, which has status 429 like a rate limit but is permanent. */
export const stopAtSpendLimit: Middleware = async (request, next, context) => {
  const response = await next(request)
  if (response.status !== 429 || !isPermanent(await context.parse(response))) return response
  const headers = new Headers(response.headers)
  headers.set('x-should-retry', 'false')
  return new Response(response.body, { status: response.status, headers })
}
