import { isCredentialParameter, isScheme, meaningOf } from './secret-names.ts'
import { looksLikeToken } from './secret-shapes.ts'

/** The context before a value: the previous word and the text between the two. */
export interface ValuePrefix {
  readonly name: string
  readonly gap: string
  /** The UTF-16 unit before the name. */
  readonly lead: string
}

const assignment = /^["'`]?\s*(?::=|=>|:|=)\s*$/
const quotedAssignment = /^["'`]?\s*(?::=|=>|:|=)\s*["'`]?$/
const space = /^\s+$/

/** A JSON number. Asterisks in its place would break the JSON. */
const number = /^-?\d[\d.]*(?:e[-+]?\d+)?$/i

/** Checks whether a quote after this prefix opens a secret string: `"api_key": "`, `--api-key "`. */
export function opensSecret({ name, gap }: ValuePrefix): boolean {
  const isAssigned = assignment.test(gap) || (name.startsWith('--') && space.test(gap))
  return isAssigned && meaningOf(name) === 'secret'
}

/** Checks whether the prefix marks a word as secret: `api_key=…`, `"token": "…`, `Bearer …`. */
export function isMarkedSecret(word: string, { name, gap, lead }: ValuePrefix): boolean {
  if (gap === '' || name === '') return false
  if (gap === '=' && (lead === '?' || lead === '&') && isCredentialParameter(name)) return true
  if (isScheme(name) && space.test(gap)) return mayFollowScheme(word)
  if (number.test(word) && !gap.includes('=')) return false
  const isOption = name.startsWith('--') && space.test(gap)
  if (!isOption && !quotedAssignment.test(gap)) return false
  const meaning = meaningOf(name)
  return meaning === 'secret' ? mayBeAssigned(word) : meaning === 'hint' && looksLikeToken(word)
}

/** Excludes prose such as `Basic authentication`. */
function mayFollowScheme(word: string): boolean {
  return word.length >= 16 || (word.length >= 8 && /.[A-Z]|\d/.test(word))
}

/** Excludes variable names, as in `api_key=os.environ`. */
function mayBeAssigned(word: string): boolean {
  return word.length >= 16 || (word.length >= 6 && /\d/.test(word) && /[A-Za-z]/.test(word))
}
