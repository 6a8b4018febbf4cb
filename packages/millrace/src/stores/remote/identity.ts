import type { MillraceError } from '../../errors/index.ts'

/** Checks that a database still has the data from the start of this process, at intervals. */
export type Identity = ReturnType<typeof createIdentity>

const LOOK_MS = 5_000

/** Creates an identity; `inspect` returns the problem of the present data, and `onError` is called for a new one. */
export function createIdentity(
  inspect: () => Promise<MillraceError | undefined>,
  onError: (error: unknown) => void,
) {
  let problem: MillraceError | undefined
  let timer: ReturnType<typeof setInterval> | undefined

  const look = async (): Promise<void> => {
    const found = await inspect()
    if (found !== undefined && problem === undefined) onError(found)
    problem = found
    if (found !== undefined) throw found
  }

  return {
    /** Returns the error for writes if the last check found other data, or data of a newer version. */
    problem: (): MillraceError | undefined => problem,
    /** Checks again, and rejects with the problem. */
    look,
    start: () => {
      timer ??= setInterval(() => void look().catch(() => {}), LOOK_MS)
      timer.unref()
    },
    close: () => clearInterval(timer),
  }
}
