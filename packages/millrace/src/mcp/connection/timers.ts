import { LONGEST_TIMER_MS } from '../../streams/index.ts'

/** Limits a delay to the maximum of timers, which treat `Infinity` as 0. */
export function toTimer(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST_TIMER_MS)
}

/** Waits for work to settle, up to a timeout. Ignores its errors. */
export async function withinMs(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)))
  await Promise.race([work.catch(() => {}), limit])
  clearTimeout(timer)
}
