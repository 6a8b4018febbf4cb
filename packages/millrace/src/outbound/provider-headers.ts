import { redactText } from './secrets/redact-text.ts'

/** The response headers of a provider that adapters read, by meaning. Adapters expose no other header. */
const readHeaders = {
  requestId: ['request-id', 'x-request-id'],
  retryAfterMs: ['retry-after-ms'],
  retryAfter: ['retry-after'],
  shouldRetry: ['x-should-retry'],
} as const

type ProviderHeader = keyof typeof readHeaders

/** Maximum length of a header value. A longer value is ignored. */
const maxValueChars = 128

/** Reads a response header of a provider and masks secrets in it. Returns undefined if it is absent or too long. */
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
