import type { JsonObject, JsonValue } from 'millrace'

/** The positions at which a text may be cut: between UTF-16 units, or only between code points. */
export type TextUnits = 'utf-16' | 'code_points'

/** The stream of a case, in chunks. */
export type Fed =
  | { readonly form: 'bytes'; readonly pieces: Iterable<Uint8Array> }
  | { readonly form: 'text'; readonly pieces: Iterable<string> }
  | { readonly form: 'values'; readonly pieces: Iterable<JsonValue> }

/** A task of an implementation: one case, fed in one way. */
export interface Task {
  readonly name: string
  readonly kind: string
  readonly input: JsonObject
  /** The name of the feeding; a case without a stream has all data in its input. */
  readonly feeding?: string
  readonly fed?: Fed
}

/** The result of a task. */
export type Answer =
  | { readonly output: JsonObject }
  /** A failure; with `isLost` the implementation has ended, so that no further task of this case can run. */
  | { readonly error: string; readonly isLost?: true }
  | { readonly unsupported: string }

/** An implementation against which cases are run; its outputs are judged elsewhere. */
export interface Implementation {
  supports(kind: string): boolean
  readonly units: TextUnits
  /** Maximum concurrent tasks. */
  readonly ahead: number
  /** Runs a task; a failure is an answer too. */
  run(task: Task): Promise<Answer>
}
