/**
 * A new random id for a session (UUID, version 4). `crypto.randomUUID` would do, but browsers hide it on plain
 * HTTP, which is how a development server is reached from another machine.
 */
export function createSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/(.{8})(.{4}).(.{3}).(.{3})(.*)/, '$1-$2-4$3-8$4-$5')
}
