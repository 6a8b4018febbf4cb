import type { ContentBlock } from '../../../events/index.ts'
import { isJsonObject } from '../../../json/index.ts'

/** Returns the id of a call. */
export function idOf({ id }: ContentBlock): string {
  return String(id)
}

/** Returns the id of the call that a result answers. */
export function answeredBy({ tool_use_id: id }: ContentBlock): string {
  return String(id)
}

/** Returns the id of the code execution call that made a call. */
export function callerOf({ caller }: ContentBlock): string | undefined {
  const id = isJsonObject(caller) ? caller['tool_id'] : undefined
  return typeof id === 'string' ? id : undefined
}
