import { recognizeFormats } from 'millrace/dialects'
import { misuse } from '../../cli/command.ts'
import { firstLetter, readFrames } from './read-frames.ts'
import type { Stage } from '../stage.ts'

/** Number of messages that are examined before a format counts as unknown. */
const MAX_LOOKS = 8

/** Reads a stream without a named format: its first messages determine it. */
export function readRecognized(
  name: string,
  open: (from: string) => Stage<Uint8Array, string>,
): Stage<Uint8Array, string> {
  const frames = readFrames()
  let held: Uint8Array[] = []
  let letter: string | undefined
  let looked = 0
  let stage: Stage<Uint8Array, string> | undefined

  function look(data: readonly string[]): string | undefined {
    for (const one of data) {
      const [format] = recognizeFormats(one)
      if (format !== undefined) return format
      if (++looked >= MAX_LOOKS) throw unknown(name)
    }
    return undefined
  }

  function begin(format: string): string[] {
    stage = open(format)
    const bytes = Buffer.concat(held)
    held = []
    return stage.push(bytes)
  }

  function beginLate(): string[] {
    const format = look(frames.end().map(({ data }) => data))
    if (format === undefined) throw unknown(name)
    return begin(format)
  }

  return {
    push(bytes) {
      if (stage !== undefined) return stage.push(bytes)
      held.push(bytes)
      letter ??= firstLetter(bytes)
      // Plain text starts with a tag.
      const format = letter === '<' ? 'xml' : look(frames.push(bytes).map(({ data }) => data))
      return format === undefined ? [] : begin(format)
    },
    end() {
      const first = stage === undefined ? beginLate() : []
      return [...first, ...(stage?.end() ?? [])]
    },
    notes: () => stage?.notes?.() ?? [],
  }
}

function unknown(name: string) {
  return misuse(`${name} has no known format; name it with --from.`)
}
