import type { Envelope } from 'millrace'

/** Represents `[DONE]`, the end of a complete stream. */
export const DONE = Symbol('done')

/** A frame of a stream, or its end. */
export type WireItem = Envelope | typeof DONE

/** The note on a stream without `[DONE]`. [SSE-5] */
export const CUT = 'The input has no [DONE]: it is truncated or continues.'

/** The note on a provider's stream whose last message has no end. */
export const CUT_MESSAGE = 'The input was truncated: its last message is incomplete.'

/** One step of a conversion: takes input and returns the output that follows. */
export interface Stage<Input, Output> {
  push(input: Input): Output[]
  end(): Output[]
  /** Returns notes for the user that the output cannot contain, after the end. */
  notes?(): string[]
}

/** Connects the output of one stage to the input of the next. */
export function connect<Input, Middle, Output>(
  first: Stage<Input, Middle>,
  second: Stage<Middle, Output>,
): Stage<Input, Output> {
  return {
    push: (input) => first.push(input).flatMap((item) => second.push(item)),
    end: () => [...first.end().flatMap((item) => second.push(item)), ...second.end()],
    notes: () => [...(first.notes?.() ?? []), ...(second.notes?.() ?? [])],
  }
}
