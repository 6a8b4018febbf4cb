import { sessionId } from './request-bodies.ts'

const encoder = new TextEncoder()

/**
 * The session of something that clients of another kind name as they like. A name that is a UUID is that of the
 * session; any other is hashed together with whoever asks, so that the same name of two people is two sessions, and
 * the same person finds theirs again on any server.
 */
export async function deriveSession(
  kind: string,
  principal: string | undefined,
  name: string,
): Promise<string> {
  const { success, data } = sessionId.safeParse(name)
  if (success) return data
  const text = JSON.stringify([kind, principal ?? null, name])
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  // A UUID of version 8, which is for those who make their own.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const digits = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0'))
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
