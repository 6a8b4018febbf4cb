import type { Terminal } from '../../src/cli/command.ts'

/** A terminal that keeps what was said on it. */
export interface RecordedTerminal extends Terminal {
  readonly printed: string[]
  readonly complaints: string[]
}

/** Creates a terminal for one command, which nobody stops. */
export function createRecordedTerminal(env: Terminal['env'] = {}): RecordedTerminal {
  const printed: string[] = []
  const complaints: string[] = []
  return {
    env,
    printed,
    complaints,
    print: (text) => void printed.push(text),
    complain: (text) => void complaints.push(text),
    untilStopped: () => new Promise(() => {}),
  }
}
