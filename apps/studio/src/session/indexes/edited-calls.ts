import { createJoiner, decodeEnvelope } from 'millrace'
import type { Frame } from 'millrace/client'

/** Edited arguments that people approved. */
export interface EditedCalls {
  readonly add: (frame: Frame) => void
  /** Returns the edited arguments of a call as JSON. */
  readonly argumentsOf: (toolUseId: string) => string | undefined
}

/** The type is the first field of every line, so other frames are not parsed. [ENV-2] */
const head = '{"type":"tool_status",'

/**
 * Creates an empty index of edited arguments. The transcript only keeps the latest stage of a call, and a result can
 * contain any text. The oldest are dropped first.
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
        // The session reports invalid lines.
      }
    },
    argumentsOf: (toolUseId) => edited.get(toolUseId),
  }
}
