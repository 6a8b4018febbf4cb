import { createJoiner, decodeEnvelope } from 'millrace'
import type { Frame } from 'millrace/client'
import { readField, readNumber, readString } from '../../json/index.ts'
import { readHead } from '../frames/index.ts'

/** A file of a question that the server keeps. */
export interface KeptFile {
  readonly id: string
  /** What it was called where it came from. */
  readonly name: string | undefined
}

/** Remembers the files that questions came with. */
export interface PromptFiles {
  readonly add: (frame: Frame) => void
  /** The files of a run's question, by the position of the block that each stands for. */
  readonly filesOf: (run: string | undefined) => ReadonlyMap<number, KeptFile>
}

const none: ReadonlyMap<number, KeptFile> = new Map()

/**
 * Creates a memory of the files of questions, fed with every frame: of an agent a transcript keeps the latest
 * `meta_init` only. The oldest are forgotten first.
 */
export function createPromptFiles({ maxRuns = 500 } = {}): PromptFiles {
  const runs = new Map<string, ReadonlyMap<number, KeptFile>>()
  const joiner = createJoiner()

  function take(payload: unknown): void {
    const run = readString(payload, 'run_id')
    const files = readField(payload, 'user_files')
    if (run === undefined || !Array.isArray(files)) return
    runs.set(run, new Map(files.flatMap(toEntry)))
    const [oldest] = runs.keys()
    if (runs.size > maxRuns && oldest !== undefined) runs.delete(oldest)
  }

  return {
    add({ data }) {
      if (readHead(data).type !== 'meta_init') return
      try {
        const whole = joiner.push(decodeEnvelope(data))
        if (whole) take(JSON.parse(whole.delta))
      } catch {
        // The session itself tells of a line that is none.
      }
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
