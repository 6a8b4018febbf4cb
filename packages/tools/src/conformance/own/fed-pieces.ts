import type { JsonValue } from 'millrace'
import type { Task } from '../implementation.ts'

/** Returns the chunks of a task in bytes. */
export function fedBytes({ kind, fed }: Task): Iterable<Uint8Array> {
  if (fed?.form === 'bytes') return fed.pieces
  throw new Error(`${kind} is fed bytes`)
}

/** Returns the chunks of a task in text. */
export function fedText({ kind, fed }: Task): Iterable<string> {
  if (fed?.form === 'text') return fed.pieces
  throw new Error(`${kind} is fed text`)
}

/** Returns the chunks of a task in values. */
export function fedValues({ kind, fed }: Task): Iterable<JsonValue> {
  if (fed?.form === 'values') return fed.pieces
  throw new Error(`${kind} is fed values`)
}
