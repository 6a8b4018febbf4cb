import type { JsonObject } from 'millrace'
import { createLegacyXmlDecoder } from 'millrace/legacy-xml'
import type { Task } from '../implementation.ts'
import { decodeFrames } from './decode-frames.ts'

/** Decodes the legacy XML of a case into messages. */
export function decodeXml(task: Task): JsonObject {
  const decoder = createLegacyXmlDecoder()
  const events = decodeFrames(task)
  const messages = [...events.flatMap(({ data }) => decoder.feed(data)), ...decoder.finish()]
  return { messages: messages as unknown as JsonObject[] }
}
