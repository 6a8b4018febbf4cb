import { parseUrl } from '../url-rules.ts'

/** Maximum number of registered secrets in a process. The oldest is dropped first. */
const maxSecrets = 512

/** Minimum length of a secret. A shorter value may be part of any word. */
const minSecretChars = 8
const registered = new Map<string, readonly string[]>()
let texts: readonly string[] = []
let words: readonly string[] = []

/**
 * Registers values that this process masks from now on in error texts, logs, recordings and traces: API keys, tokens,
 * passwords. Ignores values below 8 characters.
 */
export function keepSecrets(values: Iterable<string | undefined>): void {
  let hasChanged = false
  for (const value of values) {
    const secret = value?.trim() ?? ''
    if (secret.length < minSecretChars || registered.has(secret)) continue
    registered.set(secret, variantsOf(secret))
    hasChanged = true
  }
  if (!hasChanged) return
  for (const oldest of registered.keys()) {
    if (registered.size <= maxSecrets) break
    registered.delete(oldest)
  }
  texts = [...new Set([...registered.values()].flat())]
  words = [...new Set(texts.flatMap(wordsOf))]
}

/** Returns the registered secrets in every spelling, for a search in a complete text. */
export function registeredTexts(): readonly string[] {
  return texts
}

/** Returns the words of the registered secrets, for a search word by word. */
export function registeredWords(): readonly string[] {
  return words
}

/** Returns a secret unchanged, URL-encoded, and escaped for JSON. */
function variantsOf(secret: string): readonly string[] {
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])]
}

function wordsOf(text: string): readonly string[] {
  return (text.match(/[\w+/.~%-]+/g) ?? []).filter(({ length }) => length >= minSecretChars)
}

/** Variables whose value is a secret unless it is a path. */
const secretNames = /(?:^|_)(?:SECRET|PASSWORD|PASSWD|PASSPHRASE|PWD)(?:$|_)/i

/** Variables whose value is a secret unless it is a plain word, path or number. */
const likelyNames = /(?:^|_)(?:KEY|APIKEY|TOKEN|CREDENTIALS?|AUTH|DSN)(?:$|_)/i

/** Variables that are named after a path, a number or an identifier. */
const plainNames = /^(?:OLD)?PWD$|(?:_FILE|_PATH|_DIR|_ID|_TTL|_MS|_SECONDS|_NAME|_SOCK|_TOKENS)$/i

/** A plain value: a word of letters such as `production`, a path, or a number. */
const plainValue = /^(?:[A-Za-z]{1,15}|[~.]{0,2}\/.*|\d+)$/

/** A path such as `/run/secrets/mill`. Keys of random letters contain capitals. */
const pathValue = /^[~.]{0,2}(?:\/[a-z0-9._-]+){2,}$/

/** Registers the secrets among environment variables, so that all output of this process masks them. */
export function keepEnvironmentSecrets(env: Readonly<Record<string, string | undefined>>): void {
  keepSecrets(
    Object.entries(env).flatMap(([name, value = '']) => [
      ...(isSecret(name, value) ? [value] : []),
      ...passwordIn(value),
    ]),
  )
}

function isSecret(name: string, value: string): boolean {
  if (plainNames.test(name)) return false
  if (secretNames.test(name)) return !pathValue.test(value)
  return likelyNames.test(name) && !plainValue.test(value)
}

function passwordIn(value: string): readonly string[] {
  const url = value.includes('://') && value.includes('@') ? parseUrl(value) : undefined
  if (url === undefined) return []
  const { password } = url
  return [password, decoded(password)]
}

/** Decodes a URL component. Returns it unchanged if it contains an invalid escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
