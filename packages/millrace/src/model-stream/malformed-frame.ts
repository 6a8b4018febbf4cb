import type { MessageCut } from './message-cut.ts'

/** Why a message ends with a frame that cannot be read. */
export function malformedFrame(data: string): MessageCut {
  const message = `A frame of the model’s stream is not a JSON object: ${JSON.stringify(data.slice(0, 80))}`
  return { outcome: 'failed', failure: { type: 'malformed_frame', message, retriable: true } }
}
