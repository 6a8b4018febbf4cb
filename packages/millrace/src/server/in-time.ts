/** Waits for something, but no longer than this; then throws what `late` makes. What it waited for goes on unseen. */
export async function inTime<T>(
  work: Promise<T>,
  timeoutMs: number,
  late: () => Error,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
