import { sleep } from '../streams/sleep.ts'

/** Waits, so that users can watch; rejects at once when the signal aborts. */
export async function pretendToWork(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, signal)
  signal.throwIfAborted()
}
