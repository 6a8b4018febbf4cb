import type { JsonValue } from 'millrace'
import type { Task } from '../implementation.ts'

/** The pieces of a task that is fed bytes. */
export function fedBytes({ kind, fed }: Task): Iterable<Uint8Array> {
  if (fed?.form === 'bytes') return fed.pieces
  throw new Error(`${kind} is fed bytes`)
}

/** The pieces of a task that is fed text. */
export function fedText({ kind, fed }: Task): Iterable<string> {
  if (fed?.form === 'text') return fed.pieces
  throw new Error(`${kind} is fed text`)
}

/** The pieces of a task that is fed values. */
export function fedValues({ kind, fed }: Task): Iterable<JsonValue> {
  if (fed?.form === 'values') return fed.pieces
  throw new Error(`${kind} is fed values`)
}
