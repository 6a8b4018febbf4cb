import type { Envelope } from './envelope.ts'

/**
 * Joins a message with the one before it of the same block, which said in `more` what goes on: continued
 * fields are appended, the others taken from the newer message. Throws if a field of JSON has lost a piece.
 * [CHUNK-5]
 */
export function joinContinued(held: Envelope, next: Envelope): Envelope {
  const { more: before = {} } = held
  const { more: after = {} } = next
  const fields = Object.entries(before).map(([field, kind]) => {
    const text = `${pieceOf(held, field)}${pieceOf(next, field)}`
    return [field, kind === 'json' && !Object.hasOwn(after, field) ? JSON.parse(text) : text]
  })
  // Spreading makes a field named `__proto__` a field, where an assignment would change the prototype.
  const { more: _, ...joined } = { ...held, ...next, ...Object.fromEntries(fields) }
  return next.more ? { ...joined, more: after } : joined
}

function pieceOf(envelope: Envelope, field: string): unknown {
  return Object.hasOwn(envelope, field) ? envelope[field] : ''
}
