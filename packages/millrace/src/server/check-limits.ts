import { MillraceError } from '../errors/index.ts'
import { defaultLimits, type HandlerLimits } from './handler-options.ts'

/** Refuses limits that would limit nothing: under a name that none has, or with a value that measures nothing. */
export function checkLimits(limits: HandlerLimits): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, name)) throw unknownLimit(name)
    // A limit of 0 lets nothing pass, which may be meant.
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) continue
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
    throw badLimit(`limits.${name} is ${shown}; it must be a finite number, and not below 0.`)
  }
}

/** Names those that are spelt most like it first. */
function unknownLimit(name: string): MillraceError {
  const pairs = pairsOf(name)
  const known = Object.keys(defaultLimits)
    .map((limit) => ({ limit, likeness: likenessOf(pairs, pairsOf(limit)) }))
    .toSorted((a, b) => b.likeness - a.likeness)
  const names = known.map(({ limit }) => limit).join(', ')
  return badLimit(
    `limits.${name} is not known. The limits are, those most like it first: ${names}.`,
  )
}

function likenessOf(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  const shared = [...some].filter((pair) => others.has(pair)).length
  return shared / (some.size + others.size)
}

/** Every two letters that stand side by side. */
function pairsOf(name: string): ReadonlySet<string> {
  const letters = name.toLowerCase().split('')
  return new Set(letters.slice(1).map((letter, index) => `${letters[index]}${letter}`))
}

function badLimit(problem: string): MillraceError {
  return new MillraceError('bad_request', problem)
}
