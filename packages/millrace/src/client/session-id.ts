/**
 * A new random id for a session (UUID, version 4). `crypto.randomUUID` would do, but browsers hide it on plain
 * HTTP, which is how a development server is reached from another machine.
 */
export function createSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 15) | 64 // version 4
  bytes[8] = (bytes[8]! & 63) | 128 // the variant of RFC 9562
  return Array.from(bytes, (byte, index) => {
    const dash = index === 4 || index === 6 || index === 8 || index === 10 ? '-' : ''
    return dash + byte.toString(16).padStart(2, '0')
  }).join('')
}
