import type { JsonObject } from '../../json/index.ts'
import { createLegacyXmlDecoder } from '../../legacy-xml/index.ts'
import type { SseEvent } from '../../sse/index.ts'
import { checkFedFrames } from './fed-frames.ts'
import { foldBlocks } from './fold-blocks.ts'

/** Checks how legacy XML is decoded into envelopes. */
export function checkLegacyXml(input: JsonObject, expected: JsonObject): string[] {
  return checkFedFrames(input['data'] as readonly string[], expected, toBlocks)
}

function toBlocks(events: readonly SseEvent[]): JsonObject {
  const decoder = createLegacyXmlDecoder()
  const envelopes = [...events.flatMap((event) => decoder.feed(event.data)), ...decoder.finish()]
  const said = envelopes.filter(({ type }) => type !== 'meta_init')
  return { agent: envelopes[0]?.agent ?? null, blocks: foldBlocks(said) }
}
