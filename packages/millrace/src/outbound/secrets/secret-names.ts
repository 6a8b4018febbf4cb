/** Headers whose value is always redacted. `tokens`, as in rate limits, are not secret. */
const secretHeaders: readonly RegExp[] = [
  /^(?:proxy-)?authorization$|(?:^|[-_])auth(?:$|[-_])/,
  /cookie|session/,
  /api[-_]?key|token(?!s)|secret|passw|credential|signature/,
  /organi[sz]ation|(?:^|[-_])(?:org|project|account|workspace|tenant|user)(?:$|[-_](?:u?u?id|name)$)/,
  // Caller and route
  /^proxy-|forwarded|^via$|(?:^|[-_])(?:client|connecting|real)[-_]ip$/,
]

/** Names of headers and parameters whose value grants access. */
const credentialNames =
  /^key$|^(?:proxy-)?authorization$|(?:^|[-_])auth(?:$|[-_])|api[-_]?key|token(?!s)|secret|passw|credential|signature/i

/** Checks whether the value of a header or a parameter grants access. */
export function isCredentialName(name: string): boolean {
  return credentialNames.test(name)
}

/** Checks whether the value of a header is always redacted. */
export function isSecretHeader(name: string): boolean {
  return secretHeaders.some((pattern) => pattern.test(name))
}

/** Headers with long values that are not secret: request ids, feature names. */
const harmlessHeaders =
  /^(?:accept|anthropic-(?:beta|version)|cache-control|content|date|openai-(?:beta|model|version)|request-id|retry-after|server|user-agent|vary|x-request-id|x-stainless)(?:$|-)|ratelimit/

/** Checks whether a long value of a header is not a token. */
export function isHarmlessHeader(name: string): boolean {
  return harmlessHeaders.test(name)
}

/** Checks whether the value of a URL parameter grants access. */
export function isCredentialParameter(name: string): boolean {
  return name === 'sig' || credentialNames.test(name)
}

const secretParameters =
  /^(?:key|sig|code|state)$|api[-_]?key|token(?!s)|secret|passw|credential|signature|organi[sz]ation|auth/i

/** Checks whether the value of a query parameter is always redacted. */
export function isSecretParameter(name: string): boolean {
  return secretParameters.test(name)
}

/** Names whose value is always secret; the end of a name must match. */
const secretKeys: readonly RegExp[] = [
  /(?:api|access|auth|secret|private|signing|encryption|master|account|storage|subscription)[-_.]?key$/i,
  /access[-_.]?key[-_.]?id$/i,
  /[a-z][-_.]token$|[a-z]Token$|_TOKEN$/,
  /(?:secret|password|passwd|passphrase|authorization|cookie)$/i,
  /(?:^|[-_.])org(?:ani[sz]ation)?[-_.]?(?:uu)?id$|(?:account|workspace|tenant)[-_.]?(?:uu)?id$/i,
]

/** Names whose value is secret if it looks like a token. */
const tokenKeys = /(?:^|[-_.])(?:auth|key|token|pwd|pass|org|organi[sz]ation|session|bearer)$/i

type KeyMeaning = 'secret' | 'hint' | 'none'

/** Classifies the value after a name. */
export function meaningOf(name: string): KeyMeaning {
  if (secretKeys.some((pattern) => pattern.test(name))) return 'secret'
  return tokenKeys.test(name) ? 'hint' : 'none'
}

const schemes = new Set(['basic', 'bearer', 'digest', 'negotiate'])

/** Checks for an authentication scheme, which is followed by a space and a credential. */
export function isScheme(word: string): boolean {
  return word.length < 10 && schemes.has(word.toLowerCase())
}
