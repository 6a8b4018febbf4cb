import { MillraceError } from '../../errors/index.ts'

/** What a server keeps of its sessions; all of it where nothing is said. */
export interface Keep {
  /** Sessions that nobody has written to for this many days are removed. */
  readonly days?: number
  /** So many sessions are kept, those that were written to last; others are removed unless they run or wait. */
  readonly sessions?: number
  /** The log of a session keeps the frames of so many runs, the newest; history and conversation stay whole. */
  readonly runs?: number
  /** How often sessions are looked at for removal; every 10 minutes unless given. */
  readonly everyMs?: number
}

/** Refuses a retention that keeps nothing, or that is none. */
export function checkKeep(keep: Keep): void {
  for (const [name, value] of Object.entries(keep)) {
    const isWhole = name === 'sessions' || name === 'runs'
    if (!isWhole && name !== 'days' && name !== 'everyMs')
      throw badKeep(`keep.${name} is not known; keep takes days, sessions, runs and everyMs.`)
    if (typeof value === 'number' && value > 0 && Number.isFinite(value)) {
      if (!isWhole || Number.isInteger(value)) continue
    }
    const wanted = isWhole ? 'a whole number' : 'a finite number'
    throw badKeep(`keep.${name} is ${String(value)}; it must be ${wanted} above 0, or left out.`)
  }
}

function badKeep(problem: string): MillraceError {
  return new MillraceError('bad_request', problem)
}
