/** The field of a request's `fetchOptions` that holds its check: the SDK passes unknown fields on to `fetch`. */
const CHECK = Symbol('millrace.permit')

type Checked = RequestInit & { readonly [CHECK]?: () => Promise<void> | undefined }

/** The `fetchOptions` of a request that is checked before each of its attempts. */
export function toCheckedOptions(check: () => Promise<void> | undefined): object {
  return { [CHECK]: check }
}

/** Runs the check of a request right before it is sent. */
export function checkRequests(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init: Checked = {}) => {
    const { [CHECK]: check, ...rest } = init
    const asking = check?.()
    if (asking !== undefined) await asking
    return fetch(input, rest)
  }
}
