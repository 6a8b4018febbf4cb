/** Draws tokens: UUIDs of which the first part is the process's and the rest counts. */
export interface Tokens {
  next(): string
}

/** Builds the tokens of a store; a random one for each append would cost more than to count. */
export function createTokens(): Tokens {
  const own = crypto.randomUUID().slice(0, 24)
  let count = 0
  return {
    next: () => own + (++count).toString(16).padStart(12, '0'),
  }
}
