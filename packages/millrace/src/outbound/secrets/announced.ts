import { isCredentialParameter, isScheme, meaningOf } from './secret-names.ts'
import { looksLikeToken } from './secret-shapes.ts'

/** What stands before a value: the last word, and what is between the two. */
export interface Lead {
  readonly name: string
  readonly gap: string
  /** The unit before the name. */
  readonly lead: string
}

const assignment = /^["'`]?\s*(?::=|=>|:|=)\s*$/
const quotedAssignment = /^["'`]?\s*(?::=|=>|:|=)\s*["'`]?$/
const space = /^\s+$/

/** Of JSON, where asterisks in its place would break what it stands in. */
const number = /^-?\d[\d.]*(?:e[-+]?\d+)?$/i

/** Tells whether a quote after this opens a text that is secret as a whole: `"api_key": "`, `--api-key "`. */
export function opensSecret({ name, gap }: Lead): boolean {
  const isAssigned = assignment.test(gap) || (name.startsWith('--') && space.test(gap))
  return isAssigned && meaningOf(name) === 'secret'
}

/** Tells whether a word is secret for what stands before it: `api_key=…`, `"token": "…`, `Bearer …`. */
export function isAnnounced(word: string, { name, gap, lead }: Lead): boolean {
  if (gap === '' || name === '') return false
  if (gap === '=' && (lead === '?' || lead === '&') && isCredentialParameter(name)) return true
  if (isScheme(name) && space.test(gap)) return mayFollowScheme(word)
  if (number.test(word) && !gap.includes('=')) return false
  const isOption = name.startsWith('--') && space.test(gap)
  if (!isOption && !quotedAssignment.test(gap)) return false
  const meaning = meaningOf(name)
  return meaning === 'secret' ? mayBeAssigned(word) : meaning === 'hint' && looksLikeToken(word)
}

/** `Basic authentication` goes on with a word. */
function mayFollowScheme(word: string): boolean {
  return word.length >= 16 || (word.length >= 8 && /.[A-Z]|\d/.test(word))
}

/** Names stay, as in `api_key=os.environ`. */
function mayBeAssigned(word: string): boolean {
  return word.length >= 16 || (word.length >= 6 && /\d/.test(word) && /[A-Za-z]/.test(word))
}
