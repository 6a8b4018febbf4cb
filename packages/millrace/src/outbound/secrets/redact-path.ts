import { maskTokens, redactedValue } from './redact-headers.ts'
import { redactText } from './redact-text.ts'
import { isSecretParameter } from './secret-names.ts'

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
