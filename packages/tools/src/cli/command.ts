import { isMillraceError, MillraceError } from 'millrace'
import { DEFAULT_STORE } from 'millrace/node'

/** The environment, input and output of a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (text: string) => void
  /** Prints errors and warnings. */
  complain(text: string): void
  readonly input: AsyncIterable<Uint8Array>
  /** Writes a part of a result unchanged; resolves when there is room for more. */
  write(text: string): Promise<void>
  /** Shows the progress of a long command in place of the last one; absent without a terminal. */
  showProgress?(text: string): void
  readonly isInteractive?: boolean
  /** Resolves when the user or the system asks the process to stop. */
  untilStopped(): Promise<void>
}

/** A command of `millrace`. */
export interface Command {
  /** The arguments after the name, with their meaning. */
  readonly usage: string
  /** Runs the command; resolves with the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>
}

/** A command in the list of commands. */
export interface CommandEntry {
  readonly summary: string
  /** Loads the command on demand, so that no command waits for the modules of another. */
  load(): Promise<Command>
}

/** Creates the error for a wrong command line. */
export function misuse(message: string): MillraceError {
  return new MillraceError('bad_request', message)
}

/** Whether an error reports misuse, by us or by `parseArgs`. */
export function isMisuse(error: unknown): error is Error {
  if (isMillraceError(error)) return error.code === 'bad_request'
  const code = error instanceof TypeError && 'code' in error ? String(error.code) : ''
  return code.startsWith('ERR_PARSE_ARGS')
}

/** The help text of a store's address. */
export const storeUsage = `where sessions are: sqlite:PATH, redis://HOST:PORT, postgres://HOST:PORT/DATABASE
                 or memory: (or MILLRACE_STORE; default ${DEFAULT_STORE})`

/** Returns the store address of a command: the option, the environment variable, or the default file. */
export function chooseStore(option: string | undefined, env: Terminal['env']): string {
  return option ?? (env['MILLRACE_STORE'] || DEFAULT_STORE)
}
