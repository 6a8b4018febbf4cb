import { createLineReader } from '../../cli/line-reader.ts'
import { ownImplementation, ownKinds } from '../own/own-implementation.ts'
import { ADAPTER_PROTOCOL, decodeTask, encodeAnswer, encodeHello } from './messages.ts'

interface AdapterPipes {
  readonly input: AsyncIterable<Uint8Array>
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>
}

/** Serves the adapter protocol for this library, one task after the other, until its input ends. */
export async function serveAdapter(
  { input, write }: AdapterPipes,
  { version, maxLineChars = 256 * 1024 * 1024 }: { version: string; maxLineChars?: number },
): Promise<void> {
  const hello = { protocol: ADAPTER_PROTOCOL, name: 'millrace', version, kinds: [...ownKinds] }
  await write(`${encodeHello({ ...hello, units: ownImplementation.units })}\n`)
  for await (const line of readLines(input, maxLineChars)) {
    const { id, task } = decodeTask(line)
    await write(`${encodeAnswer({ id, answer: await ownImplementation.run(task) })}\n`)
  }
}

async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxLineChars: number,
): AsyncGenerator<string> {
  let lines: string[] = []
  const reader = createLineReader((line) => lines.push(line), { maxLineChars })
  for await (const bytes of input) {
    reader.feed(bytes)
    const ready = lines
    lines = []
    yield* ready
  }
  reader.finish()
  yield* lines
}
