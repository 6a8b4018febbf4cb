import type { OnProgress } from '../trial.ts'

/** Reports the progress of work that takes about a number of seconds and has no own progress. */
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
