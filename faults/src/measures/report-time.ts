import type { OnProgress } from '../trial.ts'

/** Reports the progress of work of a known approximate duration that reports no progress itself. */
export async function reportTime<Result>(
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
