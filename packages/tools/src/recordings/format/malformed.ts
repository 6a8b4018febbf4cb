import { MillraceError } from 'millrace'

/** A line of a file. */
export interface LinePlace {
  readonly name: string
  readonly line: number
}

/** Creates the error for an invalid line of a recording, with the remedy. */
export function malformed({ name, line }: LinePlace, problem: string): MillraceError {
  const message = `${name}, line ${line}: ${problem}`
  return new MillraceError('recording_malformed', message, { details: { line } })
}
