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
