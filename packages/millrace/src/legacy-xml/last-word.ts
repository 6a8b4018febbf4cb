import { isJsonObject } from '../json/index.ts'
import type { Message } from './element.ts'

/** What ends a stream of messages. */
export const END_OF_STREAM = '[DONE]'

/** What the old server sent instead of a tag when it failed, always as the last message. [XML-16] */
const FAILURE_START = '{"error":'

/** Reads the old server's report of its own failure, without the stack trace that it carried. */
export function readFailure(message: string): Message | undefined {
  const report = message.startsWith(FAILURE_START) ? parse(message) : undefined
  if (!isJsonObject(report)) return undefined
  const { error: type, message: text } = report
  if (typeof type !== 'string' || typeof text !== 'string') return undefined
  return { type: 'error', final: true, delta: JSON.stringify({ type, message: text }) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
