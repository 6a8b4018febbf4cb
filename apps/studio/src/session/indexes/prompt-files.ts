import { createJoiner, decodeEnvelope } from 'millrace'
import type { Frame } from 'millrace/client'
import { readField, readNumber, readString } from '../../json/index.ts'
import { readHead } from '../frames/index.ts'

/** A stored file of a prompt. */
export interface KeptFile {
  readonly id: string
  /** Original name. */
  readonly name: string | undefined
}

/** The files of prompts. */
export interface PromptFiles {
  readonly add: (frame: Frame) => void
  /** Returns the files of a run's prompt by the position of their block. */
  readonly filesOf: (run: string | undefined) => ReadonlyMap<number, KeptFile>
}

const none: ReadonlyMap<number, KeptFile> = new Map()

/**
 * Creates an empty index of prompt files. The transcript only keeps the latest `meta_init` of an agent. The oldest are
 * dropped first.
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
        // The session reports invalid lines.
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
