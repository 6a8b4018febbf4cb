import { redactText } from './redact-text.ts'
import { isHarmlessHeader, isSecretHeader, isSecretParameter } from './secret-names.ts'
import { looksLikeToken } from './secret-shapes.ts'

/** Headers by name. */
export type PlainHeaders = Readonly<Record<string, string>>

/** Replacement for a redacted value. */
export const redactedValue = 'redacted'

/** Redacts credentials, identities and tokens in headers. */
export function redactHeaders(headers: PlainHeaders, known: readonly string[] = []): PlainHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, redactHeader(name, value, known)]),
  )
}

function redactHeader(name: string, value: string, known: readonly string[]): string {
  if (isSecretHeader(name.toLowerCase())) return redactedValue
  const safe = redactText(value, known)
  return isHarmlessHeader(name.toLowerCase()) ? safe : maskTokens(safe)
}

/** Masks each word of a text that looks like a token. */
function maskTokens(text: string): string {
  return text.replace(/[\w+/.~%=-]+/g, (word) =>
    looksLikeToken(word) ? '*'.repeat(word.length) : word,
  )
}

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

/** Redacts the secrets in a path and its query. */
export function redactPath(path: string, known: readonly string[] = []): string {
  const mark = path.indexOf('?')
  const pathname = mark === -1 ? path : path.slice(0, mark)
  const segments = pathname.split('/').map((segment) => redactEncoded(segment, known))
  if (mark === -1) return segments.join('/')
  const pairs = path.slice(mark + 1).split('&')
  return `${segments.join('/')}?${pairs.map((pair) => redactPair(pair, known)).join('&')}`
}

function redactPair(pair: string, known: readonly string[]): string {
  const mark = pair.indexOf('=')
  if (mark === -1) return redactEncoded(pair, known, maskTokens)
  const name = pair.slice(0, mark)
  if (isSecretParameter(decode(name))) return `${redactEncoded(name, known)}=${redactedValue}`
  return `${redactEncoded(name, known)}=${redactEncoded(pair.slice(mark + 1), known, maskTokens)}`
}

/** Redacts the decoded text. Returns the original encoding if nothing changed. */
function redactEncoded(
  text: string,
  known: readonly string[],
  also: (plain: string) => string = (plain) => plain,
): string {
  const plain = decode(text)
  const safe = also(redactText(plain, known))
  return safe === plain ? text : encodeURIComponent(safe)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
