import type { Stage } from './stage.ts'

/** Where converted text goes. */
export interface TextOutput {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>
}

/** Moves a stream through a stage, a piece at a time, and counts its bytes; of an empty one nothing is made. */
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
