import type { ContentBlock } from '../events/index.ts'
import { isJsonObject, type JsonObject } from '../json/index.ts'

/**
 * Where a block keeps what only chat completions know of it and want back: the field that reasoning came in, its
 * details, the signature on a call. Under one name, so that a model of another API can leave it out.
 */
const OWN = 'openai'

/** The fields of a block that are the API's own. */
export function ownFieldsOf(block: ContentBlock): JsonObject {
  const own = block[OWN]
  return isJsonObject(own) ? own : {}
}

/** Adds to what a block keeps for the API; spread the result into the block. */
export function toOwnFields(block: ContentBlock | undefined, fields: JsonObject): JsonObject {
  return { [OWN]: { ...(block !== undefined && ownFieldsOf(block)), ...fields } }
}
