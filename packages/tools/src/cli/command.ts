/** The environment, input and output of a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (text: string) => void
  /** Prints errors and warnings. */
  complain(text: string): void
  /** The standard input of the process. */
  readonly input: AsyncIterable<Uint8Array>
  /** Writes a part of a result unchanged; resolves when there is room for more. */
  write(text: string): Promise<void>
  /** Shows the progress of a long command in place of the last one; absent without a terminal. */
  showProgress?(text: string): void
  /** Whether a user reads the output. */
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

/** A row of the table of commands. */
export interface CommandEntry {
  readonly summary: string
  /** Loads the command on demand, so that no command waits for the modules of another. */
  load(): Promise<Command>
}
