import { badRequest, type MillraceError } from '../../errors/index.ts'
import { compatibilities } from '../compatibility.ts'
import { defaultLimits } from '../limits.ts'

const choices = {
  compatibility: compatibilities,
  fences: ['opaque', 'transparent'],
  incomplete: ['skip', 'include'],
  inline: ['opaque', 'transparent'],
  startIn: ['text', 'reasoning'],
  toolInReasoning: ['interrupt', 'ignore'],
} as const

type CheckedOptions = { readonly [Name in keyof typeof choices]?: string } & {
  readonly limits?: Readonly<Record<string, number>>
}

/** Rejects invalid options, with the valid values. */
export function checkOptions(options: object): void {
  const given: CheckedOptions = options
  for (const [name, allowed] of Object.entries(choices)) {
    const value = given[name as keyof typeof choices]
    if (value !== undefined && !(allowed as readonly string[]).includes(value))
      throw invalidOption(`The option ${name} is "${value}". Use one of ${allowed.join(', ')}.`)
  }
  for (const [name, value] of Object.entries(given.limits ?? {})) checkLimit(name, value)
}

function checkLimit(name: string, value: number): void {
  if (!Object.hasOwn(defaultLimits, name)) {
    const names = Object.keys(defaultLimits).join(', ')
    throw invalidOption(`There is no limit ${name}. The limits are ${names}.`)
  }
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
    throw invalidOption(`The limit ${name} is ${value}. Use a whole number that is not negative.`)
}

function invalidOption(message: string): MillraceError {
  return badRequest(message)
}
