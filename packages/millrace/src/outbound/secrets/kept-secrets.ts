/** The most secrets that one process remembers; the oldest is dropped first. */
const maxSecrets = 512

/** A shorter value may be part of any word. */
const minSecretChars = 8

const kept = new Map<string, readonly string[]>()
let texts: readonly string[] = []
let words: readonly string[] = []

/**
 * Remembers values that are masked from now on in error texts, logs, recordings and traces of this process, whatever
 * they look like: API keys, tokens, passwords. Values below 8 characters are ignored.
 */
export function keepSecrets(values: Iterable<string | undefined>): void {
  let hasChanged = false
  for (const value of values) {
    const secret = value?.trim() ?? ''
    if (secret.length < minSecretChars || kept.has(secret)) continue
    kept.set(secret, variantsOf(secret))
    hasChanged = true
  }
  if (!hasChanged) return
  for (const oldest of kept.keys()) {
    if (kept.size <= maxSecrets) break
    kept.delete(oldest)
  }
  texts = [...new Set([...kept.values()].flat())]
  words = [...new Set(texts.flatMap(wordsOf))]
}

/** The kept secrets in every spelling, to be searched for in a whole text. */
export function keptTexts(): readonly string[] {
  return texts
}

/** The words of the kept secrets, to be searched for in a text that is read word by word. */
export function keptWords(): readonly string[] {
  return words
}

/** As it is, in a URL, and in a string of JSON. */
function variantsOf(secret: string): readonly string[] {
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])]
}

function wordsOf(text: string): readonly string[] {
  return (text.match(/[\w+/.~%-]+/g) ?? []).filter(({ length }) => length >= minSecretChars)
}
