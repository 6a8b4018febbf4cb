/**
 * Creates a random session id (UUID, version 4). Not with `crypto.randomUUID`, which browsers hide on plain HTTP, where development servers
 * are reached from another machine.
 */
export function createSessionId(): string {
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () =>
    (crypto.getRandomValues(new Uint8Array(1))[0]! % 16).toString(16),
  )
}
