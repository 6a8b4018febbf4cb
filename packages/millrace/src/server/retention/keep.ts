import { badRequest, type MillraceError } from '../../errors/index.ts'

/** The retention of sessions and logs; forever by default. */
export interface Keep {
  /** Removes sessions without writes for this many days. */
  readonly days?: number
  /** Keeps this many sessions, the most recently written; removes others unless they are running or paused. */
  readonly sessions?: number
  /** Keeps the frames of this many runs in the log of a session; history and conversation stay complete. */
  readonly runs?: number
  /** Interval of removal; 10 minutes by default. */
  readonly everyMs?: number
}

/** Checks the option `keep`. */
export function checkKeep(keep: Keep): void {
  for (const [name, value] of Object.entries(keep)) {
    const isWhole = name === 'sessions' || name === 'runs'
    if (!isWhole && name !== 'days' && name !== 'everyMs')
      throw badKeep(`keep.${name} is unknown; keep has days, sessions, runs and everyMs.`)
    if (typeof value === 'number' && value > 0 && Number.isFinite(value)) {
      if (!isWhole || Number.isInteger(value)) continue
    }
    const wanted = isWhole ? 'a whole number' : 'a finite number'
    throw badKeep(`keep.${name} is ${String(value)}; it must be ${wanted} above 0, or left out.`)
  }
}

function badKeep(problem: string): MillraceError {
  return badRequest(problem)
}
