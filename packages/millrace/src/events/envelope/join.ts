import type { Envelope } from './envelope.ts'

/**
 * Joins a frame with the previous one of the same block, whose `more` names the continued fields: these are appended, the others are
 * taken from the newer frame. Throws if a JSON field lacks a part. [CHUNK-5]
 */
export function joinContinued(held: Envelope, next: Envelope): Envelope {
  const { more: before = {} } = held
  const { more: after = {} } = next
  const fields = Object.entries(before).map(([field, kind]): [string, unknown] => {
    const text = pieceOf(held, field) + pieceOf(next, field)
    return [field, kind === 'json' && !Object.hasOwn(after, field) ? JSON.parse(text) : text]
  })
  // A spread keeps a field named `__proto__`; an assignment would change the prototype.
  const whole: Envelope = { ...held, ...next, ...Object.fromEntries(fields) }
  const { more: _, ...joined } = whole
  return next.more ? whole : joined
}

function pieceOf(envelope: Envelope, field: string): string {
  const piece = envelope[field]
  return typeof piece === 'string' ? piece : ''
}
