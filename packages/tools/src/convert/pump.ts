import type { Stage } from './stage.ts'

/** The destination of converted text. */
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
