/** Creates the response headers for the request id, the organization and the rate limits. */
export function toApiHeaders(requestId: string, now: number): Record<string, string> {
  return {
    'request-id': requestId,
    'anthropic-organization-id': organizationId,
    ...rateLimitHeaders(now, false),
  }
}

const organizationId = '00000000-0000-4000-8000-000000000000'

/** Limits per minute. The emulator counts nothing, so the remaining amount is always the full limit. */
const limits = {
  requests: { limit: 4000, remaining: 3999 },
  tokens: { limit: 1_000_000, remaining: 999_000 },
  'input-tokens': { limit: 800_000, remaining: 799_000 },
  'output-tokens': { limit: 200_000, remaining: 200_000 },
}

/** Creates the rate limit headers; once a limit is reached, the remaining amount is 0. */
export function rateLimitHeaders(now: number, isReached: boolean): Record<string, string> {
  const reset = new Date(now + (isReached ? 60_000 : 0)).toISOString().replace(/\.\d+/, '')
  const rows = Object.entries(limits).flatMap(([name, { limit, remaining }]) => {
    const prefix = `anthropic-ratelimit-${name}`
    return [
      [`${prefix}-limit`, String(limit)],
      [`${prefix}-remaining`, String(isReached ? 0 : remaining)],
      [`${prefix}-reset`, reset],
    ] as const
  })
  return Object.fromEntries(rows)
}
