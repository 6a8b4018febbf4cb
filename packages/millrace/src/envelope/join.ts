import { MillraceError } from '../errors/index.ts'
import type { Envelope } from './envelope.ts'

/**
 * Joins a message with the one before it of the same block, which said in `more` what goes on: continued
 * fields are appended, the others taken from the newer message. [CHUNK-5]
 */
export function joinContinued(held: Envelope, next: Envelope): Envelope {
  const joined: Record<string, unknown> & { more?: unknown } = { ...held, ...next }
  if (next.more === undefined) delete joined.more
  for (const [field, kind] of Object.entries(held.more ?? {})) {
    const text = pieceOf(held, field) + pieceOf(next, field)
    const isWhole = next.more === undefined || !Object.hasOwn(next.more, field)
    const value = kind === 'json' && isWhole ? parsePieces(field, text) : text
    // Plain assignment to a field named `__proto__` would change the prototype.
    Object.defineProperty(joined, field, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return joined as Envelope
}

function pieceOf(envelope: Envelope, field: string): string {
  const piece = Object.hasOwn(envelope, field) ? envelope[field] : ''
  return typeof piece === 'string' ? piece : ''
}

function parsePieces(field: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new MillraceError(
      'envelope_malformed',
      `The pieces of field ${field.slice(0, 40)} do not make JSON; a message of the block is missing.`,
      { cause },
    )
  }
}
