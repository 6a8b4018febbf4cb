import { encodeSse, type Envelope, type SseFrame } from 'millrace'

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

/** Connects two stages to one. */
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

/** Encodes one frame with its delimiter. */
export type Framing = (frame: SseFrame) => string

/** Server-sent events. */
export const sseFraming: Framing = encodeSse

/** Writes the data of one frame per line; JSON has no line ends. */
export const lineFraming: Framing = ({ data = '' }) => `${data}\n`

/** An output for text. */
export interface TextOutput {
  /** Writes a text; resolves when there is room for more. */
  write(text: string): Promise<void>
}

/** Moves a stream through a stage in chunks and counts its bytes; writes nothing for an empty one. */
export async function pump(
  input: AsyncIterable<Uint8Array>,
  stage: Stage<Uint8Array, string>,
  output: TextOutput,
): Promise<number> {
  let count = 0
  const write = async (texts: readonly string[]): Promise<void> => {
    const text = texts.join('')
    if (text !== '') await output.write(text)
  }
  for await (const bytes of input) {
    count += bytes.length
    await write(stage.push(bytes))
  }
  if (count > 0) await write(stage.end())
  return count
}
