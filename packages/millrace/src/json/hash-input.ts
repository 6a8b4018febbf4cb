import { type JsonValue, isJsonArray } from './json-value.ts'
import { sha256 } from './sha256.ts'
import { badRequest, type MillraceError } from '../errors/index.ts'

/**
 * Hashes the arguments of a call: SHA-256 of their canonical JSON in UTF-8, as lower-case hex. Throws for arguments
 * without a canonical form. [APR-1]
 */
export function hashInput(input: JsonValue): string {
  return sha256(new TextEncoder().encode(canonicalJson(input)))
}

/**
 * Writes a value in the canonical form of RFC 8785: no spaces, keys sorted by UTF-16 units, numbers as ECMAScript
 * writes them. Throws `bad_request` for a number that JSON cannot hold, such as the value of `1e400`.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw notANumber(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  // `<` compares strings by UTF-16 units.
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  const texts = members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${texts.join(',')}}`
}

function notANumber(value: number): MillraceError {
  return badRequest(`${value} cannot be written as JSON; use a finite number.`)
}
