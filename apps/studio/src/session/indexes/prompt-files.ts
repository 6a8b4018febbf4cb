import { readNumber, readString } from '../../json/index.ts'
import type { LoggedFrame } from '../frames/index.ts'

/** A stored file of a prompt. */
interface KeptFile {
  readonly id: string
  /** Original name. */
  readonly name: string | undefined
}

/** The files of prompts. */
export interface PromptFiles {
  readonly add: (frame: Pick<LoggedFrame, 'event'>) => void
  /** Returns the files of a run's prompt by the position of their block. */
  readonly filesOf: (run: string | undefined) => ReadonlyMap<number, KeptFile>
}

const none: ReadonlyMap<number, KeptFile> = new Map()

/**
 * Creates an empty index of prompt files. The transcript only keeps the latest start of an agent. The oldest are
 * dropped first.
 */
export function createPromptFiles({ maxRuns = 500 } = {}): PromptFiles {
  const runs = new Map<string, ReadonlyMap<number, KeptFile>>()

  return {
    add({ event }) {
      if (event?.type !== 'run_start' || event.runId === undefined) return
      const { user_files: files } = event.payload
      if (!Array.isArray(files)) return
      runs.set(event.runId, new Map(files.flatMap(toEntry)))
      const [oldest] = runs.keys()
      if (runs.size > maxRuns && oldest !== undefined) runs.delete(oldest)
    },
    filesOf: (run) => runs.get(run ?? '') ?? none,
  }
}

function toEntry(file: unknown): readonly (readonly [number, KeptFile])[] {
  const block = readNumber(file, 'block')
  const id = readString(file, 'file_id')
  if (block === undefined || id === undefined) return []
  return [[block, { id, name: readString(file, 'filename') }]]
}
