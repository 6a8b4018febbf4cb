export { decodeSse, type SseBody } from './decode-sse.ts'
export {
  encodeSse,
  type SseFrame,
  DONE_DATA,
  DONE_FRAME,
  HEARTBEAT_FRAME,
  SSE_HEADERS,
} from './encode-sse.ts'
export {
  frameLength,
  frameLines,
  lineOfFrame,
  writeFrame,
  type IdentifiedLine,
} from './frame-lines.ts'
export { createEventDecoder, type SseEvent, createSseDecoder } from './event-decoder.ts'
