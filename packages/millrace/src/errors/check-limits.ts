import { MillraceError } from './millrace-error.ts'

/** Refuses limits with an unknown name, and values that are not finite numbers of at least 0. */
export function checkLimits(limits: object, defaults: object): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaults, name)) throw unknownLimit(name, Object.keys(defaults))
    // A limit of 0 lets nothing pass, which may be meant.
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) continue
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
    throw badLimit(`limits.${name} is ${shown}; it must be a finite number, and not below 0.`)
  }
}

/** Names those that are spelt most like it first. */
function unknownLimit(name: string, names: readonly string[]): MillraceError {
  const pairs = pairsOf(name)
  const known = names
    .map((limit) => ({ limit, likeness: likenessOf(pairs, pairsOf(limit)) }))
    .toSorted((a, b) => b.likeness - a.likeness)
  const list = known.map(({ limit }) => limit).join(', ')
  return badLimit(`limits.${name} is not known. The limits are, those most like it first: ${list}.`)
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
