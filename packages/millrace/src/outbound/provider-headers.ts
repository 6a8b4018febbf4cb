import { redactText } from './secrets/redact-text.ts'

/** The response headers of a provider that are read, by their meaning; no other one leaves an adapter. */
const readHeaders = {
  requestId: ['request-id', 'x-request-id'],
  retryAfterMs: ['retry-after-ms'],
  retryAfter: ['retry-after'],
  shouldRetry: ['x-should-retry'],
} as const

/** What a response header of a provider may be read for. */
export type ProviderHeader = keyof typeof readHeaders

/** A longer value is none of these headers. */
const maxValueChars = 128

/** Reads a response header of a provider, with its secrets masked; undefined if it is absent or too long. */
export function readProviderHeader(
  headers: Pick<Headers, 'get'>,
  meaning: ProviderHeader,
): string | undefined {
  for (const name of readHeaders[meaning]) {
    const value = headers.get(name)
    if (value === null || value === undefined) continue
    return value.length <= maxValueChars ? redactText(value) : undefined
  }
  return undefined
}
