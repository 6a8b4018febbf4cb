import { createJoiner, decodeEnvelope } from 'millrace'
import type { Frame } from 'millrace/client'
import { readField, readString } from '../../json/index.ts'
import { readHead } from '../frames/index.ts'

/** The runs that created files. */
export interface FileRuns {
  readonly add: (frame: Frame) => void
  /** Returns the id of the run that first reported a file, if it has one. */
  readonly runOf: (fileId: string) => string | undefined
}

/** Creates an empty index of files. The transcript has one list of files for all runs. The oldest are dropped first. */
export function createFileRuns({ maxFiles = 500 } = {}): FileRuns {
  const runs = new Map<string, string | undefined>()
  const joiner = createJoiner()
  let root: string | undefined
  let run: string | undefined

  function keep(fileId: string): void {
    if (runs.has(fileId)) return
    runs.set(fileId, run)
    const [oldest] = runs.keys()
    if (runs.size > maxFiles && oldest !== undefined) runs.delete(oldest)
  }

  const takes: Readonly<Record<string, (agent: string, payload: unknown) => void>> = {
    __proto__: null as never,
    meta_init(agent, payload) {
      root ??= agent
      // Files of sub-agents belong to the run of the root.
      if (agent === root) run = readString(payload, 'run_id')
    },
    meta_files(_, payload) {
      const files = readField(payload, 'files')
      if (!Array.isArray(files)) return
      for (const file of files) keep(readString(file, 'file_id') ?? '')
    },
  }

  return {
    add({ data }) {
      const take = takes[readHead(data).type]
      if (!take) return
      try {
        const whole = joiner.push(decodeEnvelope(data))
        if (whole) take(whole.agent, JSON.parse(whole.delta))
      } catch {
        // The session reports invalid lines.
      }
    },
    runOf: (fileId) => runs.get(fileId),
  }
}
