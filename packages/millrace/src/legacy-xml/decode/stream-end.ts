import { parseJsonObject } from '../../json/index.ts'
import type { Message } from './element.ts'

/** The message that ends a stream. */
export const END_OF_STREAM = '[DONE]'

/** Start of the message that the old server sent when it failed, always as the last one. [XML-16] */
const FAILURE_START = '{"error":'

/** Reads the old server's failure message, without its stack trace. */
export function readFailure(message: string): Message | undefined {
  const report = message.startsWith(FAILURE_START) ? parseJsonObject(message) : undefined
  if (report === undefined) return undefined
  const { error: type, message: text } = report
  if (typeof type !== 'string' || typeof text !== 'string') return undefined
  return { type: 'error', final: true, delta: JSON.stringify({ type, message: text }) }
}
