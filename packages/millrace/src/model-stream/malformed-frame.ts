import type { MessageCut } from './message-cut.ts'

/** Creates the cut for a frame that is not a JSON object. */
export function malformedFrame(data: string): MessageCut {
  const message = `A frame of the model’s stream is not a JSON object: ${JSON.stringify(data.slice(0, 80))}`
  return { outcome: 'failed', failure: { type: 'malformed_frame', message, retriable: true } }
}
