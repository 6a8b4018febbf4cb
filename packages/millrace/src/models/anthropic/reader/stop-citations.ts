import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import type { OpenBlock } from './open-block.ts'

/**
 * Returns the citations that occur only in a `content_block_stop`: in its `citations`, or in those of its
 * `content_block`, as written by the streaming helpers of SDKs. Excludes citations of the start and of deltas.
 * [MAP-3]
 */
export function stopCitations(event: JsonObject, open: OpenBlock): readonly JsonObject[] {
  const { content_block: block } = event
  const listed = citationsIn(event['citations'] ?? (isJsonObject(block) ? block['citations'] : []))
  if (listed.length === 0 || !open.traits.accepts.includes('citations_delta')) return []
  const counts = new Map<string, number>()
  for (const citation of [...citationsIn(open.start['citations']), ...(open.citations ?? [])]) {
    const key = JSON.stringify(citation)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return listed.filter((citation) => {
    const key = JSON.stringify(citation)
    const count = counts.get(key) ?? 0
    counts.set(key, count - 1)
    return count <= 0
  })
}

function citationsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : []
}
