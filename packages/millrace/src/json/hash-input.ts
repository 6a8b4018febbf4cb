import { canonicalJson } from './canonical-json.ts'
import type { JsonValue } from './json-value.ts'
import { sha256 } from './sha256.ts'

/**
 * Hashes the arguments of a call: SHA-256 of their canonical JSON in UTF-8, as lower-case hex. Throws for arguments
 * without a canonical form. [APR-1]
 */
export function hashInput(input: JsonValue): string {
  return sha256(new TextEncoder().encode(canonicalJson(input)))
}
