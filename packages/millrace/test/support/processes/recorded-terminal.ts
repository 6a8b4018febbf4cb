import type { Terminal } from '../../../../tools/src/cli/command.ts'

/** A terminal that records its output. */
export interface RecordedTerminal extends Terminal {
  readonly printed: string[]
  readonly complaints: string[]
  /** The unchanged output. */
  readonly written: string[]
}

/** Creates a terminal for one command that is never stopped. */
export function createRecordedTerminal(
  env: Terminal['env'] = {},
  input: AsyncIterable<Uint8Array> = nothing(),
): RecordedTerminal {
  const printed: string[] = []
  const written: string[] = []
  const complaints: string[] = []
  return {
    env,
    printed,
    complaints,
    written,
    input,
    write: async (text) => void written.push(text),
    print: (text) => void printed.push(text),
    complain: (text) => void complaints.push(text),
    untilStopped: () => new Promise(() => {}),
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
