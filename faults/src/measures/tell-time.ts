import type { OnProgress } from '../trial.ts'

/** Tells how long something has taken that takes about so many seconds and does not tell by itself. */
export async function tellTime<Result>(
  work: Promise<Result>,
  { onProgress, seconds, what }: { onProgress: OnProgress; seconds: number; what: string },
): Promise<Result> {
  let passed = 0
  const timer = setInterval(() => onProgress(Math.min(++passed, seconds), seconds, what), 1_000)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
