import { createJoiner, decodeEnvelope } from 'millrace'
import type { Frame } from 'millrace/client'
import { readField, readString } from '../../json/index.ts'
import { readHead } from '../frames/index.ts'

/** Remembers which run has made a file. */
export interface FileRuns {
  readonly add: (frame: Frame) => void
  /** The id of the run that told of a file first; undefined if none did, or it has no id. */
  readonly runOf: (fileId: string) => string | undefined
}

/**
 * Creates a memory of the runs of files, fed with every frame: a transcript has one list for all of a conversation.
 * The oldest are forgotten first.
 */
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
      // What a sub-agent makes belongs to the question that led to it.
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
        // The session itself tells of a line that is none.
      }
    },
    runOf: (fileId) => runs.get(fileId),
  }
}
