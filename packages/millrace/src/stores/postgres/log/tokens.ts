/** Generates tokens: UUIDs whose first part identifies the process and whose rest is a counter. */
export interface Tokens {
  next(): string
}

/** Creates the tokens of a store. A random token for each append would cost more than a counter. */
export function createTokens(): Tokens {
  const own = crypto.randomUUID().slice(0, 24)
  let count = 0
  return {
    next: () => own + (++count).toString(16).padStart(12, '0'),
  }
}
