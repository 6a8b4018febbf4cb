import type { ContentBlock } from '../../../events/index.ts'
import { isJsonObject, type JsonObject } from '../../../json/index.ts'

/**
 * The block field for data of chat completions that must be sent back: the field of reasoning, its details, the
 * signature of a call. With one name, models of other APIs can remove it.
 */
const OWN = 'openai'

/** Returns the chat completions fields of a block. */
export function ownFieldsOf(block: ContentBlock): JsonObject {
  const own = block[OWN]
  return isJsonObject(own) ? own : {}
}

/** Adds chat completions fields to those of a block. Spread the result into the block. */
export function toOwnFields(block: ContentBlock | undefined, fields: JsonObject): JsonObject {
  return { [OWN]: { ...(block !== undefined && ownFieldsOf(block)), ...fields } }
}
