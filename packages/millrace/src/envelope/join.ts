import type { Envelope } from './envelope.ts'

/**
 * Joins a message with the one before it of the same block, which said in `more` what goes on: continued
 * fields are appended, the others taken from the newer message. Throws if a field of JSON has lost a piece.
 * [CHUNK-5]
 */
export function joinContinued(held: Envelope, next: Envelope): Envelope {
  const { more: before = {} } = held
  const { more: after = {} } = next
  const fields = Object.entries(before).map(([field, kind]): [string, unknown] => {
    const text = pieceOf(held, field) + pieceOf(next, field)
    return [field, kind === 'json' && !Object.hasOwn(after, field) ? JSON.parse(text) : text]
  })
  // Spreading makes a field named `__proto__` a field, where an assignment would change the prototype.
  const whole: Envelope = { ...held, ...next, ...Object.fromEntries(fields) }
  const { more: _, ...joined } = whole
  return next.more ? whole : joined
}

function pieceOf(envelope: Envelope, field: string): string {
  const piece = envelope[field]
  return typeof piece === 'string' ? piece : ''
}
