const REST_MS = 15

/** Rests for a while; rejects if the signal aborts. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}

/** Waits for a condition, up to a limit; returns whether it holds. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const end = performance.now() + limitMs
  while (!(await isSo())) {
    if (performance.now() > end) return false
    await rest(REST_MS, signal)
  }
  return true
}
