import type { ContentBlock } from '../events/index.ts'
import { isJsonObject } from '../json/index.ts'

/** The id by which a call is answered. */
export function idOf({ id }: ContentBlock): string {
  return String(id)
}

/** The id of the call that a result answers. */
export function answeredBy({ tool_use_id: id }: ContentBlock): string {
  return String(id)
}

/** The id of the call from whose code a call was made. */
export function callerOf({ caller }: ContentBlock): string | undefined {
  const id = isJsonObject(caller) ? caller['tool_id'] : undefined
  return typeof id === 'string' ? id : undefined
}
