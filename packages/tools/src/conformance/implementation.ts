import type { JsonObject, JsonValue } from 'millrace'

/** How a text may be cut into pieces: between UTF-16 units, or only between code points. */
export type TextUnits = 'utf-16' | 'code_points'

/** The stream of a case, in the pieces in which it arrives. */
export type Fed =
  | { readonly form: 'bytes'; readonly pieces: Iterable<Uint8Array> }
  | { readonly form: 'text'; readonly pieces: Iterable<string> }
  | { readonly form: 'values'; readonly pieces: Iterable<JsonValue> }

/** What an implementation is asked to do: one case, fed in one way. */
export interface Task {
  /** The name of the case. */
  readonly name: string
  readonly kind: string
  /** What the case says besides what is fed. */
  readonly input: JsonObject
  /** How it is fed; a case that is no stream is given whole in its input. */
  readonly feeding?: string
  readonly fed?: Fed
}

/** What came of a task. */
export type Answer =
  | { readonly output: JsonObject }
  /** What went wrong; after a loss there is nothing more to ask for this case. */
  | { readonly error: string; readonly isLost?: true }
  | { readonly unsupported: string }

/** Something that cases are run against; what it gives is judged elsewhere. */
export interface Implementation {
  /** Whether cases of a kind can be given to it. */
  supports(kind: string): boolean
  readonly units: TextUnits
  /** How many tasks it may be given before it has answered the first. */
  readonly ahead: number
  /** Does a task; whatever goes wrong is an answer too. */
  run(task: Task): Promise<Answer>
}
