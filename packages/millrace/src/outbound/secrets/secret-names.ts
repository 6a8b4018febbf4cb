/** Headers whose value is never kept. `tokens`, as in rate limits, are no secret. */
const secretHeaders: readonly RegExp[] = [
  /^(?:proxy-)?authorization$|(?:^|[-_])auth(?:$|[-_])/,
  /cookie|session/,
  /api[-_]?key|token(?!s)|secret|passw|credential|signature/,
  /organi[sz]ation|(?:^|[-_])(?:org|project|account|workspace|tenant|user)(?:$|[-_](?:u?u?id|name)$)/,
  // Who asked, and by which way
  /^proxy-|forwarded|^via$|(?:^|[-_])(?:client|connecting|real)[-_]ip$/,
]

/** Names of headers and parameters whose value lets somebody in, and does not only say who asks. */
const credentialNames =
  /^key$|^(?:proxy-)?authorization$|(?:^|[-_])auth(?:$|[-_])|api[-_]?key|token(?!s)|secret|passw|credential|signature/i

/** Tells whether the value of a header or a parameter lets somebody in. */
export function isCredentialName(name: string): boolean {
  return credentialNames.test(name)
}

/** Tells whether the value of a header is never kept. */
export function isSecretHeader(name: string): boolean {
  return secretHeaders.some((pattern) => pattern.test(name))
}

/** Headers whose values are long and mean no harm: ids of requests, names of features. */
const harmlessHeaders =
  /^(?:accept|anthropic-(?:beta|version)|cache-control|content|date|openai-(?:beta|model|version)|request-id|retry-after|server|user-agent|vary|x-request-id|x-stainless)(?:$|-)|ratelimit/

/** Tells whether a header may hold a long value that is no token. */
export function isHarmlessHeader(name: string): boolean {
  return harmlessHeaders.test(name)
}

/** Tells whether the value of a parameter in a URL grants access. */
export function isCredentialParameter(name: string): boolean {
  return name === 'sig' || credentialNames.test(name)
}

const secretParameters =
  /^(?:key|sig|code|state)$|api[-_]?key|token(?!s)|secret|passw|credential|signature|organi[sz]ation|auth/i

/** Tells whether the value of a parameter in a query is never kept. */
export function isSecretParameter(name: string): boolean {
  return secretParameters.test(name)
}

/** Names after which a whole text is secret, whatever it looks like; the end of a name counts. */
const secretKeys: readonly RegExp[] = [
  /(?:api|access|auth|secret|private|signing|encryption|master|account|storage|subscription)[-_.]?key$/i,
  /access[-_.]?key[-_.]?id$/i,
  /[a-z][-_.]token$|[a-z]Token$|_TOKEN$/,
  /(?:secret|password|passwd|passphrase|authorization|cookie)$/i,
  /(?:^|[-_.])org(?:ani[sz]ation)?[-_.]?(?:uu)?id$|(?:account|workspace|tenant)[-_.]?(?:uu)?id$/i,
]

/** Names after which what looks like a token is one. */
const hintingKeys = /(?:^|[-_.])(?:auth|key|token|pwd|pass|org|organi[sz]ation|session|bearer)$/i

/** What the name before a value says of it. */
export type KeyMeaning = 'secret' | 'hint' | 'none'

/** Tells what the name before a value says of it. */
export function meaningOf(name: string): KeyMeaning {
  if (secretKeys.some((pattern) => pattern.test(name))) return 'secret'
  return hintingKeys.test(name) ? 'hint' : 'none'
}

const schemes = new Set(['basic', 'bearer', 'digest', 'negotiate'])

/** Tells whether a word announces a credential that follows it after a space. */
export function isScheme(word: string): boolean {
  return word.length < 10 && schemes.has(word.toLowerCase())
}
