import { badRequest, type MillraceError } from './millrace-error.ts'

/** The type of an option; `any` for one with a check of its own. */
export type OptionType = keyof typeof tests

const tests = {
  any: () => true,
  boolean: (value: unknown) => typeof value === 'boolean',
  function: (value: unknown) => typeof value === 'function',
  list: (value: unknown) => Array.isArray(value),
  number: (value: unknown) => typeof value === 'number',
  object: (value: unknown) => isObject(value),
  string: (value: unknown) => typeof value === 'string',
} satisfies Record<string, (value: unknown) => boolean>

/** The types of all options of a function. */
export type OptionTypes<Options> = Readonly<Record<keyof Required<Options>, OptionType>>

/**
 * Throws `bad_request` for an unknown option or one of another type: a misspelt guard would silently be no guard. `names` maps names that
 * other libraries use to those of this one.
 */
export function checkOptions<Options extends object>(
  owner: string,
  options: Options,
  types: OptionTypes<Options>,
  names: Readonly<Record<string, string>> = {},
): void {
  if (!isObject(options))
    throw badRequest(`\`${owner}\` takes an object of options, not ${typeNameOf(options)}.`)
  const known: Readonly<Record<string, OptionType>> = types
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(known, name) ? known[name] : undefined
    if (type === undefined) throw badRequest(explainUnknown(owner, name, Object.keys(known), names))
    if (value === undefined || tests[type](value)) continue
    const article = /^[aeiou]/.test(type) ? 'an' : 'a'
    throw badRequest(
      `The option \`${name}\` of \`${owner}\` must be ${article} ${type}, not ${typeNameOf(value)}.`,
    )
  }
}

function explainUnknown(
  owner: string,
  name: string,
  known: readonly string[],
  names: Readonly<Record<string, string>>,
): string {
  const [first = '', ...others] = sortByLikeness(name, known)
  const renamed = Object.hasOwn(names, name) ? names[name] : undefined
  if (renamed !== undefined) return `\`${name}\` is called \`${renamed}\` in \`${owner}\`.`
  const list = [first, ...others].join(', ')
  const guess = isLike(name, first) ? ` Did you mean \`${first}\`?` : ''
  return `\`${owner}\` has no option \`${name}\`.${guess} The options are: ${list}.`
}

function sortByLikeness(name: string, known: readonly string[]): readonly string[] {
  return known.toSorted((a, b) => distanceOf(name, a) - distanceOf(name, b))
}

/** Whether a name is probably a misspelling or the beginning of another. */
function isLike(name: string, other: string): boolean {
  const isBeginning = name !== '' && other.toLowerCase().startsWith(name.toLowerCase())
  return isBeginning || distanceOf(name, other) <= Math.ceil(other.length / 3)
}

/** Counts the letters to insert, remove or replace to make one name of another, in upper or lower case. */
function distanceOf(name: string, other: string): number {
  const letters = other.toLowerCase().split('')
  let row = [0, ...letters.map((_, index) => index + 1)]
  for (const [at, letter] of name.toLowerCase().split('').entries()) {
    const next = [at + 1]
    for (const [index, one] of letters.entries()) {
      const replaced = (row[index] ?? 0) + (letter === one ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function typeNameOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return value === undefined
    ? 'undefined'
    : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`
}

/** Throws `bad_request` for a limit with an unknown name, or a value that is not a finite number of at least 0. */
export function checkLimits(limits: object, defaults: object): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaults, name)) throw unknownLimit(name, Object.keys(defaults))
    // A limit of 0 blocks everything. That can be intended.
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) continue
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
    throw badRequest(`limits.${name} is ${shown}; it must be a finite number of at least 0.`)
  }
}

/** Creates the error for an unknown name. It lists the most similar names first. */
function unknownLimit(name: string, names: readonly string[]): MillraceError {
  const list = sortByLikeness(name, names).join(', ')
  return badRequest(
    `limits.${name} does not exist. Use one of these limits, most similar first: ${list}.`,
  )
}
