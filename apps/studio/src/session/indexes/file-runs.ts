import { readString } from '../../json/index.ts'
import type { LoggedFrame } from '../frames/index.ts'

/** The runs that created files. */
export interface FileRuns {
  readonly add: (frame: Pick<LoggedFrame, 'event'>) => void
  /** Returns the id of the run that first reported a file, if it has one. */
  readonly runOf: (fileId: string) => string | undefined
}

/** Creates an empty index of files. The transcript has one list of files for all runs. The oldest are dropped first. */
export function createFileRuns({ maxFiles = 500 } = {}): FileRuns {
  const runs = new Map<string, string | undefined>()
  let root: string | undefined
  let run: string | undefined

  function keep(fileId: string): void {
    if (runs.has(fileId)) return
    runs.set(fileId, run)
    const [oldest] = runs.keys()
    if (runs.size > maxFiles && oldest !== undefined) runs.delete(oldest)
  }

  return {
    add({ event }) {
      if (event?.type === 'run_start') {
        root ??= event.agent
        // Files of sub-agents belong to the run of the root.
        if (event.agent === root) run = event.runId
      } else if (event?.type === 'files') {
        const { files } = event.payload
        if (!Array.isArray(files)) return
        for (const file of files) keep(readString(file, 'file_id') ?? '')
      }
    },
    runOf: (fileId) => runs.get(fileId),
  }
}
