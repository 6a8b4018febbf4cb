import { sessionId } from './request-bodies.ts'

const encoder = new TextEncoder()

/**
 * Derives the session of an id chosen by clients of other protocols. A UUID is used as it is. Any other id is hashed with the
 * owner, so that two owners with the same id get two sessions, on every server the same.
 */
export async function deriveSession(
  kind: string,
  owner: () => string | null | Promise<string | null>,
  name: string,
): Promise<string> {
  const { success, data } = sessionId.safeParse(name)
  if (success) return data
  const text = JSON.stringify([kind, await owner(), name])
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  // UUID version 8 is for custom formats.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const digits = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0'))
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
