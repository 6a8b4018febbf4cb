import { LONGEST_TIMER_MS } from '../streams/index.ts'

/** A time as timers take it: to them `Infinity` is now. */
export function toTimer(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST_TIMER_MS)
}

/** Waits for work that may fail, but not for longer than this. */
export async function withinMs(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)))
  await Promise.race([work.catch(() => {}), limit])
  clearTimeout(timer)
}
