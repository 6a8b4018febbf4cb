/** Returns the uncaught errors of some work. */
export async function uncaughtIn(work: () => Promise<void>): Promise<unknown[]> {
  const listeners = process.listeners('uncaughtException')
  const found: unknown[] = []
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => found.push(error))
  try {
    await work()
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const listener of listeners) process.on('uncaughtException', listener)
  }
  return found
}
