import { MillraceError } from '../../errors/index.ts'

/** Where something stands in a file. */
export interface LinePlace {
  readonly name: string
  readonly line: number
}

/** Says what is wrong with a line of a recording, and what to do. */
export function malformed({ name, line }: LinePlace, problem: string): MillraceError {
  const message = `${name}, line ${line}: ${problem}`
  return new MillraceError('recording_malformed', message, { details: { line } })
}
