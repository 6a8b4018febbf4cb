import type { AnnouncedCall } from '../../events/index.ts'
import { hashInput, type JsonValue } from '../../json/index.ts'
import { parseInput } from '../../tools/index.ts'

/** Returns the hash of a call's arguments; undefined without a canonical form, which no hash can approve. */
export function hashCall({ inputText }: AnnouncedCall): string | undefined {
  const input = parseInput(inputText)
  if ('problem' in input) return undefined
  try {
    return hashInput(input.value as JsonValue)
  } catch {
    // A number beyond a double, or nesting too deep for the stack.
    return undefined
  }
}
