import { createReadStream } from 'node:fs'
import { MillraceError } from 'millrace'
import { importSession } from 'millrace/server'
import { createLineReader } from '../cli/line-reader.ts'
import type { SessionCommand } from './session-command.ts'

/** Maximum length of a line, which contains at most one file in base64. */
const MAX_LINE_CHARS = 268_435_456

/** `millrace sessions import FILE`: imports the archive of a session into the store. */
export const importArchive: SessionCommand = {
  needsSession: true,
  createsStore: true,
  run: async ({ store, terminal, session: file, options: { json, as } }) => {
    const input = file === '-' ? terminal.input : readFrom(file)
    const asked = as === undefined ? {} : { as }
    const imported = await importSession(store, readLines(input), asked)
    const { session, frames, files } = imported
    if (json) terminal.print(JSON.stringify(imported))
    else terminal.print(`${session} was imported with ${frames} frames and ${files} files.`)
    return 0
  },
}

async function* readFrom(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file) as AsyncIterable<Uint8Array>
  } catch (cause) {
    throw new MillraceError('not_found', `${file} cannot be read; check the path.`, { cause })
  }
}

/** Yields the lines of a file on demand. */
async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let lines: string[] = []
  const reader = createLineReader((line) => lines.push(line), { maxLineChars: MAX_LINE_CHARS })
  for await (const bytes of input) {
    reader.feed(bytes)
    yield* lines
    lines = []
  }
  reader.finish()
  yield* lines
}
