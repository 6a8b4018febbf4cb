import type { Permit } from '../../events/index.ts'

/** The field of `fetchOptions` with the check of a request. The SDK passes unknown fields to `fetch`. */
const CHECK = Symbol('millrace.permit')

type Checked = RequestInit & { readonly [CHECK]?: () => Promise<void> | undefined }

/** Creates the `fetchOptions` of a request that is checked before each attempt. */
export function toCheckedOptions(check: () => Promise<void> | undefined): object {
  return { [CHECK]: check }
}

/**
 * Wraps `fetch` to run the check of a request before it is sent. If the check is synchronous, nothing runs between it and `fetch`, so a
 * process that is suspended there sends at most one request, however many runs it has.
 */
export function checkRequests(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init: Checked = {}) => {
    const { [CHECK]: check, ...rest } = init
    const asking = check?.()
    if (asking !== undefined) await asking
    return fetch(input, rest)
  }
}

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
