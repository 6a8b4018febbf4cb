import type { Permit } from '../events/index.ts'

/**
 * Checks the permit of a run, and throws if it was refused: a refusal aborts the signal. Gives nothing where no one has to
 * be asked, so that a caller can go on at once: a process may be frozen at any `await`.
 */
export function permitRequest(
  permit: Permit | undefined,
  signal: AbortSignal,
): Promise<void> | undefined {
  const asking = permit?.()
  if (asking !== undefined) return asking.then(() => signal.throwIfAborted())
  signal.throwIfAborted()
  return undefined
}
