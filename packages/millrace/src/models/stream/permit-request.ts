import type { Permit } from '../../events/index.ts'

/**
 * Checks the permit of a run. Throws if it was denied: a denial aborts the signal. Returns undefined if the permit is
 * synchronous, so that the caller can continue without an `await`, at which a process may be suspended.
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
