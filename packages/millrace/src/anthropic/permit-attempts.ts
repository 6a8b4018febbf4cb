import type { Middleware } from '@anthropic-ai/sdk'

import type { Permit } from '../events/index.ts'
import { permitRequest } from '../model-stream/index.ts'

/** Checks the permit of a run before each attempt of a request. The SDK calls middleware once an attempt. */
export function permitAttempts(permit: Permit | undefined, signal: AbortSignal): Middleware {
  return async (request, next) => {
    const asking = permitRequest(permit, signal)
    if (asking !== undefined) await asking
    return next(request)
  }
}

/** Checks whether a client calls middleware. Older clients and wrappers may not. */
export function callsMiddleware(client: object): boolean {
  return 'middleware' in client && Array.isArray(client.middleware)
}
