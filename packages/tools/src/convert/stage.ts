/** One part of a conversion: takes what came and gives what follows from it. */
export interface Stage<Input, Output> {
  push(input: Input): Output[]
  /** Takes the end of the stream. */
  end(): Output[]
  /** What a person should know that the output cannot say, once the end has come. */
  notes?(): string[]
}

/** Lets one stage feed the next. */
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
