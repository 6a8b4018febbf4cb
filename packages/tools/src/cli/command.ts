/** Where a command speaks and what surrounds it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (text: string) => void
  /** Says what is not a result: errors and warnings. */
  complain(text: string): void
  /** What is piped into the process. */
  readonly input: AsyncIterable<Uint8Array>
  /** Writes a part of a result as it is, and resolves when there is room for more. */
  write(text: string): Promise<void>
  /** Shows how far a long command has come, in place of what it said before; absent where nobody looks. */
  showProgress?(text: string): void
  /** Whether a person reads what is printed. */
  readonly isInteractive?: boolean
  /** Resolves when the person or the system asks the process to stop. */
  untilStopped(): Promise<void>
}

/** A command of `millrace`. */
export interface Command {
  /** What follows the name, and what it means. */
  readonly usage: string
  /** Does it, and resolves with the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>
}

/** A row of the table of commands. */
export interface CommandEntry {
  readonly summary: string
  /** Loaded when it is called, so that no command waits for what another one needs. */
  load(): Promise<Command>
}
