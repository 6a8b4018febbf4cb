import { sortByLikeness } from './check-options.ts'
import { MillraceError } from './millrace-error.ts'

/** Throws `bad_request` for a limit with an unknown name, or a value that is not a finite number of at least 0. */
export function checkLimits(limits: object, defaults: object): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaults, name)) throw unknownLimit(name, Object.keys(defaults))
    // A limit of 0 blocks everything. That can be intended.
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) continue
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
    throw badLimit(`limits.${name} is ${shown}; it must be a finite number of at least 0.`)
  }
}

/** Creates the error for an unknown name. It lists the most similar names first. */
function unknownLimit(name: string, names: readonly string[]): MillraceError {
  const list = sortByLikeness(name, names).join(', ')
  return badLimit(
    `limits.${name} does not exist. Use one of these limits, most similar first: ${list}.`,
  )
}

function badLimit(problem: string): MillraceError {
  return new MillraceError('bad_request', problem)
}
