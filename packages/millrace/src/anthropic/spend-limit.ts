import type { Middleware } from '@anthropic-ai/sdk'

import { isLasting } from './failure.ts'

/** Prevents SDK retries after a spend limit, which has status 429 like a rate limit but is permanent. */
export const stopAtSpendLimit: Middleware = async (request, next, context) => {
  const response = await next(request)
  if (response.status !== 429 || !isLasting(await context.parse(response))) return response
  const headers = new Headers(response.headers)
  headers.set('x-should-retry', 'false')
  return new Response(response.body, { status: response.status, headers })
}
