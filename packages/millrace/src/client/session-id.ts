/**
 * A new random id for a session (UUID, version 4). `crypto.randomUUID` would do, but browsers hide it on plain
 * HTTP, which is how a development server is reached from another machine.
 */
export function createSessionId(): string {
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () =>
    (crypto.getRandomValues(new Uint8Array(1))[0]! % 16).toString(16),
  )
}
