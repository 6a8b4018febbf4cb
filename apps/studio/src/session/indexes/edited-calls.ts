import { createJoiner, decodeEnvelope } from 'millrace'
import type { Frame } from 'millrace/client'

/** Remembers the arguments that people have approved in place of the model's own. */
export interface EditedCalls {
  readonly add: (frame: Frame) => void
  /** The arguments that a call was run with, as JSON, if they are not the model's. */
  readonly argumentsOf: (toolUseId: string) => string | undefined
}

/** Type stands first in every line, so other frames need not be read. [ENV-2] */
const head = '{"type":"tool_status",'

/**
 * Creates a memory of changed arguments, fed with every frame: a transcript keeps the latest stage of a call only,
 * and the result cannot be asked, because a tool may write there what it likes. The oldest are forgotten first.
 */
export function createEditedCalls({ maxCalls = 500 } = {}): EditedCalls {
  const edited = new Map<string, string>()
  const joiner = createJoiner()

  function take(line: string): void {
    const whole = joiner.push(decodeEnvelope(line))
    if (whole?.['stage'] !== 'approved' || whole.delta === '') return
    edited.set(String(whole.id), whole.delta)
    const [oldest] = edited.keys()
    if (edited.size > maxCalls && oldest !== undefined) edited.delete(oldest)
  }

  return {
    add({ data }) {
      if (!data.startsWith(head)) return
      try {
        take(data)
      } catch {
        // The session itself tells of a line that is none.
      }
    },
    argumentsOf: (toolUseId) => edited.get(toolUseId),
  }
}
